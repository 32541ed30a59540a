package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.{AnalysisException, DataFrame, SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.connector.catalog.DelegatingCatalogExtension
import org.apache.spark.sql.types.StructType

/** Passes everything to Spark's session catalog, as others do for formats that are not theirs. */
class PassingCatalog extends DelegatingCatalogExtension

/** Tables by name in a session catalog that is not Spark's own: nothing is lost. */
class OtherSessionCatalogsSuite extends TableSuite {

  /** A session with another session catalog, which has not used the format. */
  private def other(): SparkSession = {
    val session = spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", classOf[PassingCatalog].getName)
    session
  }

  private def refused(what: String)(statement: => Any): Unit = {
    val error = intercept[VariantShreddedException](statement)
    val start =
      s"[UNSUPPORTED_FEATURE] $what in the session catalog ${classOf[PassingCatalog].getName} " +
        "is not supported. Spark reads and writes tables of this format by name only in its own session " +
        "catalog. Nothing was changed. Save the rows to a path: " +
        "df.write.format(\"variant-shredded\").save(path), or " +
        "CREATE OR REPLACE TABLE variant_shredded.`path` AS SELECT ... in SQL."
    assert(error.getMessage === start)
  }

  private def source(session: SparkSession): DataFrame = session.range(2).toDF("n")

  Seq[(String, (SparkSession, String) => Unit)](
    "CREATE OR REPLACE TABLE AS SELECT" -> { (session, t) =>
      val _ = session.sql(s"CREATE OR REPLACE TABLE $t USING variant_shredded AS SELECT 1 AS n")
    },
    "REPLACE TABLE AS SELECT" -> { (session, t) =>
      val _ = session.sql(s"REPLACE TABLE $t USING `variant-shredded` AS SELECT 1 AS n")
    },
    "REPLACE TABLE" -> { (session, t) =>
      val _ = session.sql(s"REPLACE TABLE $t (n INT) USING variant_shredded")
    },
    "createOrReplace" -> { (session, t) =>
      source(session).writeTo(t).using("variant-shredded").createOrReplace()
    }
  ).foreach { case (way, replace) =>
    test(s"$way is refused, and the old table stays") {
      withTable { t =>
        spark.sql(s"CREATE TABLE $t USING parquet AS SELECT 7 AS n")
        val session = other()
        refused("Replacing a table by one of this format")(replace(session, t))
        assert(session.table(t).head().getInt(0) === 7)
        assert(traces(t) === Set(t))
      }
    }
  }

  test("a new table is not filled with a query, unless IF NOT EXISTS finds one") {
    withTable { t =>
      val session = other()
      val what = "Creating a table of this format from a query"
      val create = s"TABLE IF NOT EXISTS $t USING variant_shredded AS SELECT 1 AS n"
      refused(what)(session.sql(s"CREATE $create"))
      refused(what)(source(session).writeTo(t).using("variant-shredded").create())
      refused(what)(source(session).write.format("variant-shredded").saveAsTable(t))
      refused("Replacing a table by one of this format") {
        source(session).write.format("variant-shredded").mode(SaveMode.Overwrite).saveAsTable(t)
      }
      assert(traces(t) === Set.empty)
      session.sql(s"CREATE TABLE $t USING parquet AS SELECT 7 AS n")
      session.sql(s"CREATE $create")
      source(session).write.format("variant-shredded").mode(SaveMode.Ignore).saveAsTable(t)
      assert(session.table(t).head().getInt(0) === 7)
    }
  }

  test("what CREATE TABLE makes is a table for sessions with Spark's own catalog") {
    withTable { t =>
      val session = other()
      session.sql(s"CREATE TABLE $t (n INT) USING variant_shredded")
      Seq(s"SELECT * FROM $t", s"INSERT INTO $t VALUES (1)").foreach { statement =>
        val error = intercept[AnalysisException](session.sql(statement).collect()).getMessage
        assert(error.contains("is not a valid Spark SQL Data Source"), error)
      }
      spark.sql(s"INSERT INTO $t VALUES (3)")
      assert(spark.table(t).head().getInt(0) === 3)
    }
  }

  test("tables of other formats are replaced, and paths saved and read in SQL") {
    withTable { t =>
      val session = other()
      source(session).write.saveAsTable(t)
      source(session).where("n = 1").write.mode("overwrite").saveAsTable(t)
      assert(session.table(t).head().getLong(0) === 1)
      val path = newPath()
      source(session).write.format("variant-shredded").save(path)
      session.sql(s"CREATE OR REPLACE TABLE variant_shredded.`$path` AS SELECT * FROM $t")
      assert(session.sql(s"SELECT * FROM variant_shredded.`$path`").head().getLong(0) === 1)
    }
  }

  test("saveAsTable over a table of any format is refused, and the old table stays") {
    Seq("parquet", "orc", "csv", "variant_shredded").foreach { format =>
      withTable { t =>
        val session = other()
        val creator = if (format == "variant_shredded") spark else session
        creator.sql(s"CREATE TABLE $t USING $format AS SELECT 7 AS n")
        refused("Replacing a table by one of this format") {
          source(session).write.format("variant-shredded").mode(SaveMode.Overwrite).saveAsTable(t)
        }
        assert(spark.table(t).head().getInt(0) === 7, format)
        assert(traces(t) === Set(t), format)
      }
    }
  }

  test("a table is created like one whose format is not on the class path") {
    val tables = spark.sessionState.catalog
    val (old, like) = (TableIdentifier("of_unknown_format"), TableIdentifier("like_unknown_format"))
    val entry = CatalogTable(
      old,
      CatalogTableType.MANAGED,
      CatalogStorageFormat.empty,
      new StructType().add("n", "int"),
      provider = Some("no.such.format")
    )
    tables.createTable(entry, ignoreIfExists = false)
    try {
      val session = other()
      // The rules of this source are in the session.
      val _ = session.read.format("variant-shredded").load(written(rows(0, 1)))
      session.sql(s"CREATE TABLE ${like.table} LIKE ${old.table}")
      val made = tables.getTableMetadata(like)
      assert(made.schema === entry.schema)
      assert(made.provider === entry.provider)
    } finally {
      // The statement DROP TABLE needs the format.
      Seq(old, like).foreach(tables.dropTable(_, ignoreIfNotExists = true, purge = true))
    }
  }
}
