package io.github.variantshredded

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.time.Instant

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{PathSuite, Warnings}
import org.apache.spark.sql.{AnalysisException, SparkSession}

/** Paths as tables of the catalog `variant_shredded`. */
class VariantShreddedCatalogSuite extends PathSuite {

  private def table(path: String): String = s"variant_shredded.`$path`"

  test("SELECT and INSERT") {
    val path = written(rows(0, 3), "p")
    assert(numbers(spark.sql(s"SELECT * FROM ${table(path)} WHERE p < 2")) === Seq(0, 1))
    spark.sql(s"INSERT INTO ${table(path)} VALUES (5, parse_json('{\"n\": 5}'), 2)")
    assert(numbers(spark.table(table(path))) === Seq(0, 1, 2, 5))
    spark.sql(
      s"INSERT OVERWRITE ${table(path)} PARTITION (p = 2) SELECT 8, parse_json('{\"n\": 8}')"
    )
    assert(numbers(reader.load(path)) === Seq(0, 1, 8))
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
  }

  test("CREATE TABLE AS SELECT, CREATE OR REPLACE TABLE AS SELECT, REPLACE TABLE AS SELECT") {
    val (source, path) = (written(rows(0, 3)), newPath())
    def select(from: Int) = s"AS SELECT * FROM ${table(source)} WHERE n >= $from"
    spark.sql(s"CREATE TABLE ${table(path)} PARTITIONED BY (p) ${select(0)}")
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
    val error = intercept[AnalysisException](spark.sql(s"CREATE TABLE ${table(path)} ${select(0)}"))
    assert(error.getCondition === "TABLE_OR_VIEW_ALREADY_EXISTS")
    assert(error.getMessage.contains(path))
    spark.sql(s"CREATE TABLE IF NOT EXISTS ${table(path)} ${select(0)}")
    spark.sql(s"CREATE OR REPLACE TABLE ${table(path)} ${select(1)}")
    assert(partitions(path) === Seq(""))
    assert(numbers(reader.load(path)) === Seq(1, 2))
    spark.sql(
      s"REPLACE TABLE ${table(path)} PARTITIONED BY (n) AS SELECT n, v FROM ${table(source)}"
    )
    assert(partitions(path) === Seq("n=0", "n=1", "n=2"))
  }

  test("a failed CREATE leaves nothing, a failed REPLACE the old data") {
    val (old, path) = (written(rows(0, 3)), newPath())
    val query = s"AS SELECT n, if(n = 2, raise_error('boom'), v) AS v FROM ${table(old)}"
    intercept[Exception](spark.sql(s"CREATE TABLE ${table(path)} $query"))
    assert(!Files.exists(Path.of(path)) || dataFiles(path).isEmpty)
    intercept[Exception](spark.sql(s"REPLACE TABLE ${table(old)} $query"))
    assert(numbers(reader.load(old)) === (0 until 3))
  }

  test("DataFrameWriterV2") {
    val path = newPath()
    rows(0, 3).writeTo(table(path)).partitionedBy(rows(0, 1).col("p")).create()
    rows(3, 6).writeTo(table(path)).append()
    rows(9, 10).writeTo(table(path)).overwritePartitions()
    assert(numbers(reader.load(path)) === Seq(1, 2, 4, 5, 9))
    rows(0, 1).writeTo(table(path)).createOrReplace()
    assert(numbers(reader.load(path)) === Seq(0))
  }

  test("a path that is not there") {
    val path = newPath()
    Seq(s"SELECT * FROM ${table(path)}", s"INSERT INTO ${table(path)} VALUES (1)").foreach { text =>
      val error = intercept[AnalysisException](spark.sql(text))
      assert(error.getCondition === "PATH_NOT_FOUND")
    }
    val error = intercept[AnalysisException](spark.sql("SELECT * FROM variant_shredded.a.b"))
    assert(error.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
  }

  test("patterns are read; names with the characters of patterns are taken as they are") {
    val base = newPath()
    Seq("a1", "a2", "b[1]").zipWithIndex.foreach { case (name, i) =>
      writer(rows(i, i + 1)).save(s"$base/$name")
    }
    assert(numbers(spark.table(table(s"$base/a*"))) === Seq(0, 1))
    assert(numbers(spark.table(table(s"$base/b[1]"))) === Seq(2))
    spark.sql(s"INSERT INTO ${table(s"$base/b[1]")} SELECT * FROM ${table(s"$base/a1")}")
    assert(numbers(spark.table(table(s"$base/b[1]"))) === Seq(0, 2))
    val error = intercept[VariantShreddedException] {
      spark.sql(s"INSERT INTO ${table(s"$base/a*")} SELECT * FROM ${table(s"$base/a1")}")
    }
    assert(error.condition === "UNSUPPORTED_FEATURE")
    val none = intercept[AnalysisException](spark.table(table(s"$base/c*")))
    assert(none.getCondition === "PATH_NOT_FOUND")
  }

  test("options of one query") {
    val path = written(rows(0, 2))
    val error = intercept[VariantShreddedException] {
      spark.sql(s"SELECT * FROM ${table(path)} WITH (validation = 'lenient')").collect()
    }
    assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
  }

  // Files a1, b1 and c1 (and so on), of which b1 is older, c1 is in a directory below.
  private def directoryOfFiles(): String = {
    val base = newPath()
    Seq(1, 2).foreach { p =>
      val partition = Files.createDirectories(Path.of(base, s"p=$p", "below"))
      Seq("a" -> 0, "b" -> 10, "below/c" -> 20).foreach { case (name, from) =>
        val file = onlyFile(written(rows(from + p, from + p + 1).select("n", "v")))
        val target = Files.move(file, partition.resolveSibling(s"$name$p.parquet"))
        val time = if (name == "b") "2020-01-01T00:00:00Z" else "2026-01-01T00:00:00Z"
        Files.setLastModifiedTime(target, FileTime.from(Instant.parse(time)))
      }
    }
    base
  }

  test("options of one query choose files as for Spark's Parquet source") {
    val base = directoryOfFiles()
    Seq(
      "pathGlobFilter" -> "a*",
      "PATHGLOBFILTER" -> "b1*",
      "modifiedAfter" -> "2023-01-01T00:00:00",
      "modifiedBefore" -> "2023-01-01T00:00:00",
      "recursiveFileLookup" -> "true",
      "validation" -> "strict"
    ).foreach { case (name, value) =>
      val paths = Seq(s"$base/p=1", s"$base/p=*") ++
        // Spark has no partition columns then, so the columns would be others.
        (if (name == "recursiveFileLookup") Nil else Seq(base))
      paths.foreach { path =>
        val options = s"WITH ($name = '$value')"
        val found = numbers(spark.sql(s"SELECT * FROM ${table(path)} $options"))
        assert(found === numbers(spark.sql(s"SELECT * FROM parquet.`$path` $options")), options)
        assert(numbers(spark.read.option(name, value).table(table(path))) === found)
      }
    }
    assert(numbers(spark.table(table(s"$base/p=*"))) === Seq(1, 2, 11, 12))
    val none = s"SELECT n, v, p FROM ${table(base)} WITH (pathGlobFilter = 'none')"
    assert(numbers(spark.sql(none)) === Nil)
    assert(numbers(spark.sql(none.replace(base, s"$base/p=*").replace(", p", ""))) === Nil)
    val one = s"SELECT p FROM ${table(base)} WITH (pathGlobFilter = 'a1*')"
    assert(spark.sql(one).collect().map(_.getInt(0)).toSeq === Seq(1))
  }

  test("options of one query that would change the columns are refused, and so are unknown ones") {
    val base = directoryOfFiles()
    Seq(s"$base/p=1", s"$base/p=*").foreach { path =>
      Seq(
        "mergeSchema" -> "true",
        "schema" -> "n INT",
        "basePath" -> base,
        "pathGlobFiltr" -> "a*"
      ).foreach { case (name, value) =>
        val error = intercept[VariantShreddedException] {
          spark.sql(s"SELECT * FROM ${table(path)} WITH ($name = '$value')").collect()
        }
        val condition =
          if (name == "pathGlobFiltr") "INVALID_VARIANT_SHREDDED_OPTION" else "UNSUPPORTED_FEATURE"
        assert(error.condition === condition)
        assert(error.getMessage.contains(name))
      }
      val same = s"SELECT * FROM ${table(path)} WITH (mergeSchema = false, basePath = '$path')"
      if (!path.endsWith("*")) assert(numbers(spark.sql(same)) === Seq(1, 11))
    }
    val lookup = s"SELECT * FROM ${table(base)} WITH (recursiveFileLookup = true)"
    assert(intercept[AnalysisException](spark.sql(lookup).collect()).getMessage.contains("RECURS"))
  }

  test("the files of a path are shown with the options of the query") {
    val base = directoryOfFiles()
    def files(options: String) = spark
      .sql(s"SELECT DISTINCT file FROM variant_shredded.files.`$base` $options")
      .collect()
      .map(_.getString(0).split("/").last)
      .toSet
    assert(files("").map(_.take(1)) === Set("a", "b", "c"))
    assert(files("WITH (pathGlobFilter = 'a*')") === Set("a1.parquet", "a2.parquet"))
    val unshredded = newPath()
    writer(rows(0, 3)).option("shredding", "none").save(unshredded)
    def types(options: String) = spark
      .sql(s"SELECT residual_types FROM variant_shredded.files.`$unshredded` $options")
      .collect()
      .count(row => !row.isNullAt(0) && row.getSeq[Any](0).nonEmpty)
    assert(types("") > 0)
    assert(types("WITH (residualSample = 0)") === 0)
    val wrong = intercept[VariantShreddedException](files("WITH (residualSampl = 0)"))
    assert(wrong.condition === "INVALID_VARIANT_SHREDDED_OPTION")
  }

  test("what a path cannot do") {
    val path = written(rows(0, 1))
    Seq(
      s"CREATE TABLE ${table(newPath())} (a INT)" -> "CREATE TABLE without AS SELECT",
      s"REPLACE TABLE ${table(path)} (a INT)" -> "REPLACE TABLE without AS SELECT",
      s"CREATE OR REPLACE TABLE ${table(path)} (a INT)" -> "REPLACE TABLE without AS SELECT",
      s"CREATE OR REPLACE TABLE ${table(newPath())} (a INT)" -> "REPLACE TABLE without AS SELECT",
      s"DROP TABLE ${table(path)}" -> "DROP TABLE",
      s"ALTER TABLE ${table(path)} ADD COLUMN a INT" -> "ALTER TABLE",
      s"ALTER TABLE ${table(path)} RENAME TO b" -> "RENAME TABLE"
    ).foreach { case (text, what) =>
      val error = intercept[VariantShreddedException](spark.sql(text))
      assert(error.condition === "UNSUPPORTED_FEATURE")
      assert(error.getMessage.contains(s"$what for a path of the catalog variant_shredded"))
    }
    assert(numbers(reader.load(path)) === Seq(0))
  }

  test("partitions of a path cannot be changed, only listed and emptied") {
    val path = written(rows(0, 3), "p")
    Seq(
      "DROP PARTITION (p = 1)",
      "ADD PARTITION (p = 7)",
      "PARTITION (p = 1) RENAME TO PARTITION (p = 7)"
    ).foreach { change =>
      val error =
        intercept[VariantShreddedException](spark.sql(s"ALTER TABLE ${table(path)} $change"))
      assert(error.condition === "UNSUPPORTED_FEATURE")
      assert(error.getMessage.contains("ALTER TABLE ... PARTITION of the path"))
    }
    assert(numbers(reader.load(path)) === Seq(0, 1, 2))
    assert(spark.sql(s"SHOW PARTITIONS ${table(path)}").count() === 3)
    spark.sql(s"TRUNCATE TABLE ${table(path)} PARTITION (p = 1)")
    assert(numbers(reader.load(path)) === Seq(0, 2))
  }

  test("a session gets the catalog when it meets the source, unless it has one of that name") {
    val key = "spark.sql.catalog.variant_shredded"
    val path = written(rows(0, 1))
    val fresh = spark.newSession()
    assert(fresh.conf.getOption(key).isEmpty)
    fresh.read.format("variant-shredded").load(path)
    assert(fresh.conf.get(key) === classOf[VariantShreddedCatalog].getName)
    val other = spark.newSession()
    other.conf.set(key, "some.other.Catalog")
    assert(other.read.format("variant-shredded").load(path).count() === 1)
    assert(other.conf.get(key) === "some.other.Catalog")
    val named = spark.newSession()
    named.conf.set("spark.sql.catalog.files", classOf[VariantShreddedCatalog].getName)
    assert(named.sql(s"SELECT count(*) FROM files.`$path`").head().getLong(0) === 1)
  }

  test("a session gets the catalog again after its setting was removed") {
    val key = "spark.sql.catalog.variant_shredded"
    val path = written(rows(0, 1))
    Seq[SparkSession => Unit](_.conf.unset(key), session => { val _ = session.sql(s"RESET $key") })
      .foreach { remove =>
        val fresh = spark.newSession()
        fresh.read.format("variant-shredded").load(path)
        remove(fresh)
        assert(fresh.conf.getOption(key) === None)
        fresh.read.format("variant-shredded").load(path)
        assert(fresh.table(table(path)).count() === 1)
      }
  }

  test("a database of the catalog's name goes before it, unless the user has configured it") {
    val path = written(rows(0, 1))
    val fresh = spark.newSession()
    val catalog = classOf[VariantShreddedCatalog].getName
    def add(session: SparkSession): Unit = {
      val _ = session.read.format("variant-shredded").load(path)
    }
    fresh.sql("CREATE DATABASE variant_shredded")
    try {
      fresh.sql("CREATE TABLE variant_shredded.in_database AS SELECT 3 AS n")
      add(fresh)
      val warnings = Warnings.of(catalog) {
        (0 until 2).foreach { _ =>
          assert(fresh.table("variant_shredded.in_database").head().getInt(0) === 3)
        }
        assert(fresh.sql("SHOW TABLES IN variant_shredded").count() === 1)
        fresh.sql("USE variant_shredded")
        assert(fresh.table("in_database").head().getInt(0) === 3)
      }
      assert(warnings.size === 1 && warnings.head.contains("the name of a database"), warnings)
      val hyphenated = fresh.sql(s"SELECT count(*) FROM `variant-shredded`.`$path`")
      assert(hyphenated.head().getLong(0) === 1)
      val configured = spark.newSession()
      configured.conf.set("spark.sql.catalog.variant_shredded", catalog)
      add(configured)
      assert(configured.table(table(path)).count() === 1)
    } finally {
      val _ = spark.newSession().sql("DROP DATABASE variant_shredded CASCADE")
    }
    val without = spark.newSession()
    add(without)
    assert(without.table(table(path)).count() === 1)
  }

  test("a session looks once for a database of the catalog's name, if there is one") {
    val path = written(rows(0, 1))
    val fresh = spark.newSession()
    def uses(): Unit = {
      val _ = fresh.read.format("variant-shredded").load(path).count()
      assert(fresh.table("variant_shredded.in_database").head().getInt(0) === 3)
    }
    fresh.sql("CREATE DATABASE variant_shredded")
    try {
      fresh.sql("CREATE TABLE variant_shredded.in_database AS SELECT 3 AS n")
      uses()
      // Spark loads a catalog that it does not have if a setting names its class.
      val setting = "spark.sql.catalog.variant_shredded"
      (0 until 2).foreach { _ =>
        assert(fresh.conf.getOption(setting) === None)
        uses()
      }
      fresh.conf.set(setting, classOf[VariantShreddedCatalog].getName)
      assert(fresh.table(table(path)).count() === 1)
    } finally {
      val _ = spark.newSession().sql("DROP DATABASE variant_shredded CASCADE")
    }
  }

  test("reads that were cached follow writes by SQL") {
    val path = written(rows(0, 2))
    val cached = reader.load(path).cache()
    assert(cached.count() === 2)
    spark.sql(s"INSERT INTO ${table(path)} SELECT * FROM ${table(path)}")
    assert(reader.load(path).count() === 4)
    cached.unpersist()
  }
}
