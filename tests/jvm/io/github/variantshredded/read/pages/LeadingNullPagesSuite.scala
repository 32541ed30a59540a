package io.github.variantshredded.read.pages

import io.github.variantshredded.testing.PathSuite

/** Column chunks that begin with pages of nulls are read as they were written, by Spark too. */
class LeadingNullPagesSuite extends PathSuite {

  // From the row 700 on there are values: few of them, or as many as rows.
  private val columns = Seq("% 5", "% 1000").flatMap { kinds =>
    Seq(
      s"if(id < 700, null, float(id $kinds))",
      s"if(id < 700, null, id $kinds)",
      s"if(id < 700, null, double(id $kinds))",
      s"if(id < 700, null, concat('a value ', id $kinds))",
      s"if(id < 700, null, cast(id $kinds AS decimal(30, 2)))",
      s"if(id < 700, null, array(float(id $kinds), null))",
      s"if(id < 700, array(), array(id $kinds, null))"
    )
  } ++ Seq("cast(null AS float)", "cast(null AS decimal(30, 2))", "cast(null AS array<string>)")

  Seq("PARQUET_1_0", "PARQUET_2_0").foreach { version =>
    test(s"values after pages of nulls in $version") {
      val rows = spark
        .range(0, 1500, 1, 1)
        .selectExpr("id" +: columns.zipWithIndex.map { case (c, i) => s"$c AS c$i" }: _*)
      val path = newPath()
      writer(rows)
        .option("parquet.writer.version", version)
        .option("parquet.page.row.count.limit", "100")
        .save(path)
      val expected = rows.collect().map(_.toString).toSeq
      def sorted(format: String) =
        spark.read.format(format).load(path).orderBy("id").collect().map(_.toString).toSeq
      assert(sorted("variant-shredded") === expected)
      assert(sorted("parquet") === expected)
    }
  }
}
