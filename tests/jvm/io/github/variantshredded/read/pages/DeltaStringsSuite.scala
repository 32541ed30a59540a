package io.github.variantshredded.read.pages

import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}

/**
 * `DELTA_BYTE_ARRAY`, which Spark's own reader decodes to other bytes where pages are not compressed
 * and have definition levels.
 */
class DeltaStringsSuite extends SparkSuite with TemporaryFolder {

  for {
    compression <- Seq("none", "snappy")
    format <- Seq("parquet", "variant-shredded")
  } test(s"strings and Variants in pages of version 2, compression $compression, by $format") {
    val path = folder.resolve(s"$compression-$format").toString
    val rows = spark.sql("""SELECT id, if(id % 7 = 0, NULL, concat('name ', id * 31)) AS name,
                           |  parse_json(concat('{"a": "', id * 17, '"}')) AS v
                           |FROM range(0, 200, 1, 1)""".stripMargin)
    rows.write
      .format(format)
      .option("compression", compression)
      .options(if (format == "parquet") Map.empty[String, String] else Map("shredding" -> "none"))
      .option("parquet.writer.version", "PARQUET_2_0")
      .option("parquet.enable.dictionary", "false")
      .option("parquet.page.row.count.limit", "40")
      .save(path)
    Seq("true", "id % 3 = 1").foreach { condition =>
      def answer(view: String) =
        spark.sql(s"SELECT id, name, to_json(v) FROM $view WHERE $condition ORDER BY id").collect()
      rows.createOrReplaceTempView("wanted")
      spark.read.format("variant-shredded").load(path).createOrReplaceTempView("found")
      assert(answer("found").toSeq === answer("wanted").toSeq)
    }
  }
}
