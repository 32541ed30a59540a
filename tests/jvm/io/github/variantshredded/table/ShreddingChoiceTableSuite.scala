package io.github.variantshredded.table

import java.net.URI
import java.nio.file.Path

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import io.github.variantshredded.testing.{DataFiles, LocalParquet, PathSuite}

/**
 * How a table by name, or a path, has its Variants shredded: by options and by table properties.
 */
class ShreddingChoiceTableSuite extends PathSuite {

  private def withTable(create: String => String)(test: String => Unit): Unit = {
    val name = s"t_${java.util.UUID.randomUUID.toString.replace("-", "")}"
    spark.sql(create(name)): Unit
    try test(name)
    finally {
      val _ = spark.sql(s"DROP TABLE IF EXISTS $name")
    }
  }

  private def schemas(directory: String): Set[String] = {
    val path =
      Path.of(if (directory.startsWith("file:")) URI.create(directory).getPath else directory)
    DataFiles
      .below(path)
      .map { file =>
        val reader = LocalParquet.open(file)
        try
          ShreddingText.render(
            SpecLayoutReader.read(reader.getFileMetaData.getSchema, Seq("v"), 200).root.schema
          )
        finally reader.close()
      }
      .toSet
  }

  private def schemasOf(table: String): Set[String] =
    schemas(
      Path
        .of(spark.conf.get("spark.sql.warehouse.dir").stripPrefix("file:"))
        .resolve(table)
        .toString
    )

  private val row = """parse_json('{"a": 1, "b": "x", "ts": "2024-01-01"}')"""
  private val inferred = "a bigint, b string, ts string"
  private val chosen = "b smallint, ts string"
  private val properties =
    "'shredding.pin' = '$.b smallint', 'shredding.v.exclude' = '$.a'"

  Seq("OPTIONS", "TBLPROPERTIES").foreach { clause =>
    test(s"CREATE TABLE with $clause: every way of adding rows sees them") {
      def create(t: String) =
        s"CREATE TABLE $t (v VARIANT) USING `variant-shredded` $clause ($properties)"
      val df = spark.range(0, 1, 1, 1).selectExpr(s"$row AS v")
      Seq[String => Unit](
        t => spark.sql(s"INSERT INTO $t SELECT $row"): Unit,
        t => spark.sql(s"INSERT OVERWRITE $t SELECT $row"): Unit,
        t => df.write.format("variant-shredded").mode("append").saveAsTable(t),
        t => df.write.insertInto(t),
        t => df.writeTo(t).append()
      ).zipWithIndex.foreach { case (write, way) =>
        withTable(create) { t =>
          write(t)
          assert(schemasOf(t) === Set(chosen), s"way $way")
        }
      }
    }

    test(s"CREATE TABLE AS SELECT with $clause") {
      withTable(t =>
        s"CREATE TABLE $t USING `variant-shredded` $clause ('shredding' = 'a int') AS SELECT $row AS v"
      ) { t =>
        assert(schemasOf(t) === Set("a int"))
        spark.sql(s"INSERT INTO $t SELECT $row"): Unit
        assert(schemasOf(t) === Set("a int"))
      }
    }
  }

  test("options of the write go before those of the table") {
    withTable(t =>
      s"CREATE TABLE $t (v VARIANT) USING `variant-shredded` TBLPROPERTIES ('shredding' = 'a int')"
    ) { t =>
      spark
        .range(0, 1, 1, 1)
        .selectExpr(s"$row AS v")
        .writeTo(t)
        .option("shredding", "b string")
        .append()
      assert(schemasOf(t) === Set("b string"))
    }
  }

  test("a save to a path") {
    val df = spark.range(0, 1, 1, 1).selectExpr(s"$row AS v")
    def saved(options: (String, String)*): Set[String] = {
      val path = newPath()
      df.write.format("variant-shredded").options(options.toMap).save(path)
      schemas(path)
    }
    assert(saved() === Set(inferred))
    assert(saved("shredding" -> "a int, b variant") === Set("a int, b variant"))
    assert(saved("shredding.v.pin" -> "$.b smallint", "shredding.exclude" -> "$.a") === Set(chosen))
    val e = intercept[VariantShreddedException](saved("shredding.v.pin" -> "$.b small"))
    assert(
      e.getMessage === "[INVALID_VARIANT_SHREDDED_OPTION] Option 'shredding.v.pin' is '$.b small', " +
        "expected a comma-separated list of paths, such as $.ts timestamp, $.user struct<id bigint>; " +
        "at character 5: 'small' is not a type."
    )
  }

  test("a path in SQL takes its rows like the files that it has") {
    val path = newPath()
    val df = spark.range(0, 1, 1, 1).selectExpr(s"$row AS v")
    df.write
      .format("variant-shredded")
      .option("shredding", "a tinyint, b string, ts string")
      .save(path)
    spark.sql(s"INSERT INTO variant_shredded.`$path` SELECT $row"): Unit
    assert(schemas(path) === Set("a tinyint, b string, ts string"))
    spark.sql(s"INSERT OVERWRITE variant_shredded.`$path` SELECT $row"): Unit
    assert(schemas(path) === Set(inferred))
  }
}
