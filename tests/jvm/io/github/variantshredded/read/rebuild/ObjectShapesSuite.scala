package io.github.variantshredded.read.rebuild

import java.nio.file.Files

import io.github.variantshredded.testing.SparkSuite

class ObjectShapesSuite extends SparkSuite {

  private val names = "abcdefghij".map(_.toString)

  // Every set of fields; some fields come only in some batches, some objects have a residual.
  private def json(id: Int): String = {
    val bits = if (id % 40 < 20) id / 3 else id / 3 & 0x155
    val fields = names.zipWithIndex.collect {
      case (name, i) if (bits >>> i & 1) == 1 =>
        val inner = Seq("\"p\":1").take(id & 1) ++ Seq(s"\"q\":\"$id\"").take(id >> 1 & 1)
        if (i % 3 == 0) s"\"$name\":${inner.mkString("{", ",", "}")}" else s"\"$name\":$id"
    }
    val extra = if (id % 7 == 0) Seq("\"Z\":null", "\"cc\":1.5") else Nil
    (fields ++ extra).mkString("{", ",", "}")
  }

  test("objects of many shapes, in batches of any size") {
    val session = spark
    import session.implicits._
    val folder = Files.createTempDirectory("shapes")
    val key = "spark.sql.parquet.columnarReaderBatchSize"
    try {
      val ids = 0 until 3072
      val schema = names.zipWithIndex
        .map { case (name, i) =>
          if (i % 3 == 0) s"$name struct<p bigint, q string>" else s"$name bigint"
        }
        .mkString(", ")
      val path = folder.resolve("t").toString
      ids
        .map(id => (id, json(id)))
        .toDF("id", "j")
        .coalesce(1)
        .selectExpr("id", "parse_json(j) AS v")
        .write
        .format("variant-shredded")
        .option("shredding", s"""{"v": "$schema"}""")
        .save(path)
      val expected =
        spark.read.parquet(path).selectExpr("id", "v").collect().map(_.toString).sorted.toSeq
      assert(expected.size == ids.size)
      Seq("1", "7", "20", "4096").foreach { size =>
        spark.conf.set(key, size)
        val found = spark.read.format("variant-shredded").load(path).collect()
        assert(found.map(_.toString).sorted.toSeq == expected, s"batches of $size")
      }
    } finally {
      spark.conf.unset(key)
      org.apache.commons.io.FileUtils.deleteDirectory(folder.toFile)
    }
  }
}
