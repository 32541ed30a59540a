package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.streaming.Trigger

/** Names of options that nobody knows, wherever a user gives options. */
class UnknownOptionsSuite extends TableSuite {

  /** Names that Spark, Hadoop or Parquet know, or that Spark uses itself. */
  private val known = Seq(
    "fs.s3a.endpoint",
    "parquet.page.size",
    "parquet.bloom.filter.enabled#v.value",
    "my.own",
    "shredding.v.include",
    "MaxDepth",
    "header",
    "multiLine",
    "wholetext",
    "samplingRatio",
    "dateFormat",
    "maxFilesPerTrigger",
    "MAXBYTESPERTRIGGER",
    "checkpointLocation",
    "queryName",
    "__hive_compatible_bucketed_table_insertion__"
  )

  private def refused(name: String, meant: Option[String])(action: => Any): Unit = {
    val error = withClue(s"$name: ")(intercept[VariantShreddedException](action))
    assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
    val text = s"[INVALID_VARIANT_SHREDDED_OPTION] Unknown option '$name'" + meant.fold(
      ": neither this source nor Spark has an option of this name. docs/options.md lists the options."
    )(other => s"; did you mean '$other'?")
    assert(error.getMessage === text)
  }

  test("a read refuses an unknown option, with the nearest name") {
    val path = written(rows(0, 1))
    Seq(
      "max_depth" -> Some("maxDepth"),
      "mergeShema" -> Some("mergeSchema"),
      "bloomFilters" -> Some("bloomFilter"),
      "bloom" -> None,
      "validations" -> Some("validation"),
      "includes" -> Some("shredding.include"),
      "shredding.pins" -> Some("shredding.pin"),
      "shredding.other" -> None,
      "cluster.by" -> Some("clusterBy"),
      "anything" -> None
    ).foreach { case (name, meant) =>
      refused(name, meant)(reader.option(name, "x").load(path))
    }
    refused("mergeShema", Some("mergeSchema")) {
      spark.sql(
        s"CREATE TEMPORARY VIEW misspelt USING variant_shredded OPTIONS (path '$path', mergeShema true)"
      )
    }
    refused("residualSamples", Some("residualSample")) {
      spark.read.format("variant-shredded-files").option("residualSamples", "x").load(path)
    }
    assert(known.foldLeft(reader)(_.option(_, "1")).load(path).count() === 1)
    assert(reader.option("MERGESCHEMA", "true").load(path).count() === 1)
  }

  test("a read and a write refuse the options that only the format of the files has") {
    val path = written(rows(0, 1))
    Seq("everyFile" -> "true", "residualSample" -> "5").foreach { case (name, value) =>
      refused(name, None)(reader.option(name, value).load(path))
      refused(name, None)(writer(rows(0, 1)).option(name, value).save(newPath()))
      val files = spark.read.format("variant-shredded-files").option(name, value).load(path)
      assert(files.count() > 0)
    }
  }

  test("a write refuses an unknown option, and writes nothing") {
    val path = newPath()
    Seq("append", "overwrite", "errorifexists", "ignore").foreach { mode =>
      refused("shreding", Some("shredding")) {
        writer(rows(0, 1)).mode(mode).option("shreding", "none").save(path)
      }
    }
    assert(!java.nio.file.Files.exists(java.nio.file.Path.of(path)))
    val passing = known.filterNot(name => name.contains("."))
    passing.foldLeft(writer(rows(0, 1)))(_.option(_, "1")).save(path)
    assert(numbers(reader.load(path)) === Seq(0))
  }

  test("a stream refuses an unknown option when it starts") {
    val input = spark.readStream
      .format("rate")
      .load()
      .selectExpr("value", "to_variant_object(struct(value)) v")
    refused("clusterby_", Some("clusterBy")) {
      input.writeStream
        .format("variant-shredded")
        .option("checkpointLocation", newPath())
        .option("clusterby_", "$.value")
        .trigger(Trigger.AvailableNow())
        .start(newPath())
    }
  }

  test("CREATE, CREATE AS SELECT, REPLACE and ALTER refuse an unknown option") {
    withTable { t =>
      val create = s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded"
      refused("shreding", Some("shredding"))(spark.sql(s"$create OPTIONS (shreding 'none')"))
      refused("anything", None)(spark.sql(s"$create OPTIONS (anything 'none')"))
      refused("bloomfilters", Some("bloomFilter")) {
        spark.sql(s"$create TBLPROPERTIES ('bloomfilters' = '$$.n')")
      }
      Seq("CREATE", "CREATE OR REPLACE").foreach { verb =>
        refused("layouts", Some("layout")) {
          spark.sql(
            s"$verb TABLE $t USING variant_shredded OPTIONS (layouts 'spec') AS SELECT 1 AS n"
          )
        }
      }
      refused("clustrBy", Some("clusterBy")) {
        writer(rows(0, 1)).option("clustrBy", "$.n").saveAsTable(t)
      }
      assert(traces(t).isEmpty)
      spark.sql(
        s"$create OPTIONS (compression 'zstd', maxFilesPerTrigger 1) " +
          "TBLPROPERTIES ('anything' = 'else', 'made_by' = 'me', 'layouts' = '3', 'delta.x' = 'y')"
      )
      refused("shreding", Some("shredding")) {
        spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('shreding' = 'none')")
      }
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('whatever' = 'else')")
    }
  }

  test("saveAsTable takes the options comment and collation for the new table") {
    withTable { t =>
      // A table of another format is replaced by a statement of this source.
      Seq("variant-shredded", "parquet").foreach { before =>
        spark.range(1).write.format(before).mode("overwrite").saveAsTable(t)
        writer(spark.sql("SELECT 'a' AS s"))
          .option("comment", "texts")
          .option("collation", "UTF8_LCASE")
          .mode("overwrite")
          .saveAsTable(t)
        val entry = spark.sessionState.catalog.getTableMetadata(TableIdentifier(t))
        assert(entry.comment === Some("texts"), before)
        assert(entry.collation === Some("UTF8_LCASE"), before)
        spark.sql(s"DROP TABLE $t")
      }
      writer(spark.sql("SELECT 'a' AS s")).option("COLLATION", "UTF8_LCASE").saveAsTable(t)
      val entry = spark.sessionState.catalog.getTableMetadata(TableIdentifier(t))
      assert(entry.collation === Some("UTF8_LCASE"))
    }
  }

  test("a table that is written to or read refuses an unknown option") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, p INT, v VARIANT) USING variant_shredded")
      refused("compresion", Some("compression")) {
        writer(rows(0, 1)).option("compresion", "zstd").mode("append").saveAsTable(t)
      }
      refused("kompression", Some("compression")) {
        rows(0, 1).writeTo(t).option("kompression", "zstd").append()
      }
      refused("validaton", Some("validation")) {
        spark.read.option("validaton", "permissive").table(t).collect()
      }
      writer(rows(0, 1)).option("compression", "zstd").mode("append").saveAsTable(t)
      assert(numbers(spark.read.option("validation", "permissive").table(t)) === Seq(0))
    }
  }

  test("a path in SQL refuses an unknown option when it is created") {
    val path = newPath()
    refused("clustring", Some("clustering")) {
      spark.sql(
        s"CREATE TABLE variant_shredded.`$path` USING variant_shredded OPTIONS (clustring 'shape') AS SELECT 1 AS n"
      )
    }
  }
}
