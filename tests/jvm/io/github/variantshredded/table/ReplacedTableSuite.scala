package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.{classic, AnalysisException, DataFrame}
import org.apache.spark.sql.catalyst.catalog.{
  CreateTableEvent,
  ExternalCatalogEvent,
  ExternalCatalogEventListener,
  RenameTableEvent
}

/** A table by name that is replaced by a query, and one that is made where files are. */
class ReplacedTableSuite extends TableSuite {

  private val failing = "SELECT n, p, if(n = 1, raise_error('boom'), v) AS v FROM"

  private def created(table: String, until: Int = 6): Unit =
    writer(rows(0, until)).partitionBy("p").saveAsTable(table)

  private def classicSession: classic.SparkSession = spark match {
    case ours: classic.SparkSession => ours
    case other                      => fail(s"not a classic session: $other")
  }

  // Ways to replace the table `t` by a query.
  private val replacements: Seq[(String, (String, DataFrame) => Unit)] = Seq(
    "saveAsTable" -> ((t, df) => writer(df).mode("overwrite").saveAsTable(t)),
    "createOrReplace" -> ((t, df) => df.writeTo(t).using("variant-shredded").createOrReplace()),
    "replace" -> ((t, df) => df.writeTo(t).using("variant-shredded").replace()),
    "CREATE OR REPLACE" -> { (t, df) =>
      df.createOrReplaceTempView("replacement")
      val _ =
        spark.sql(s"CREATE OR REPLACE TABLE $t USING `variant-shredded` AS TABLE replacement")
    }
  )

  replacements.foreach { case (way, replace) =>
    test(s"$way of a table by a query that reads it") {
      withTable { t =>
        created(t)
        replace(t, spark.table(t).where("n >= 2"))
        assert(numbers(spark.table(t)) === (2 until 6))
        assert(traces(t) === Set(t))
        // By the path, and the catalog of paths.
        replace(t, reader.load(directory(t).toString).where("n >= 3"))
        assert(numbers(spark.table(t)) === (3 until 6))
        replace(t, spark.table(s"variant_shredded.`${directory(t)}`").where("n >= 4"))
        assert(numbers(spark.table(t)) === Seq(4, 5))
        assert(numbers(reader.load(directory(t).toString)) === Seq(4, 5))
      }
    }

    test(s"$way: a query that fails leaves the table as it was") {
      withTable { t =>
        created(t)
        val (files, shown) = (dataFiles(directory(t).toString), spark.sql(s"SHOW CREATE TABLE $t"))
        val before = shown.head().getString(0)
        // One task: of several, some may write on for a moment.
        intercept[Exception](replace(t, spark.sql(s"$failing $t").coalesce(1)))
        intercept[Exception](
          replace(t, spark.sql("SELECT cast(raise_error('boom') AS INT) AS other"))
        )
        assert(dataFiles(directory(t).toString) === files)
        assert(spark.sql(s"SHOW CREATE TABLE $t").head().getString(0) === before)
        assert(numbers(spark.table(t)) === (0 until 6))
        assert(traces(t) === Set(t))
      }
    }
  }

  test("a table is replaced by what views, CTEs, subqueries and caches read of it") {
    withTable { t =>
      created(t)
      withTable { view =>
        spark.sql(s"CREATE VIEW $view AS SELECT * FROM $t WHERE n >= 1")
        writer(spark.table(view)).mode("overwrite").saveAsTable(t)
      }
      assert(numbers(spark.table(t)) === (1 until 6))
      spark.sql(
        s"CREATE OR REPLACE TABLE $t USING `variant-shredded` AS " +
          s"WITH kept AS (SELECT * FROM $t WHERE n >= 2) SELECT * FROM kept"
      )
      assert(numbers(spark.table(t)) === (2 until 6))
      spark.sql(
        s"CREATE OR REPLACE TABLE $t USING `variant-shredded` AS " +
          s"SELECT cast(id as int) AS n, parse_json(concat('{\"n\": ', id, '}')) AS v " +
          s"FROM range(10) WHERE id IN (SELECT n FROM $t WHERE n >= 3)"
      )
      assert(numbers(spark.table(t)) === (3 until 6))
      spark.sql(s"CACHE TABLE $t")
      val cached = spark.table(t).where("n >= 4").cache()
      writer(cached).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(4, 5))
      val byPath = reader.load(directory(t).toString).cache()
      assert(byPath.count() === 2)
      writer(byPath.where("n = 5")).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(5))
      assert(numbers(reader.load(directory(t).toString)) === Seq(5))
      byPath.unpersist()
    }
  }

  test("columns, partitions and options are those of the new table, the location is the old one") {
    withTable { t =>
      created(t)
      val select = s"SELECT p AS first, n, v FROM $t"
      spark.sql(
        s"CREATE OR REPLACE TABLE $t USING `variant-shredded` PARTITIONED BY (first) " +
          s"OPTIONS (compression 'gzip') COMMENT 'new' AS $select"
      )
      assert(spark.table(t).columns.toSeq === Seq("n", "v", "first"))
      assert(numbers(spark.table(t).where("first = 1")) === Seq(1, 4))
      val files = dataFiles(directory(t).toString)
      assert(
        files.nonEmpty && files.forall(f => f.startsWith("first=") && f.endsWith(".gz.parquet"))
      )
      spark.sql(s"INSERT INTO $t VALUES (8, parse_json('{\"n\": 8}'), 7)")
      assert(numbers(spark.table(t).where("first = 7")) === Seq(8))
      // The session's mode of INSERT OVERWRITE has no say here.
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        writer(rows(1, 2)).partitionBy("p").mode("overwrite").saveAsTable(t)
      }
      assert(numbers(spark.table(t)) === Seq(1))
      spark.sql(s"DROP TABLE $t")
      assert(traces(t) === Set.empty)
    }
  }

  test("a table that is not there is created; REPLACE TABLE wants one") {
    withTable { t =>
      writer(rows(0, 2)).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(0, 1))
    }
    withTable { t =>
      val error = intercept[AnalysisException] {
        spark.sql(s"REPLACE TABLE $t USING `variant-shredded` AS SELECT 1 AS n")
      }
      assert(error.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
      intercept[Exception](
        writer(spark.sql("SELECT cast(raise_error('boom') AS INT) AS n"))
          .mode("overwrite")
          .saveAsTable(t)
      )
      assert(traces(t) === Set.empty)
    }
  }

  test("REPLACE TABLE without a query empties the table, unless its options are wrong") {
    withTable { t =>
      created(t)
      val error = intercept[VariantShreddedException] {
        spark.sql(
          s"CREATE OR REPLACE TABLE $t (n INT, v VARIANT) USING `variant-shredded` " +
            "OPTIONS (shredding 'a nosuchtype')"
        )
      }
      assert(error.condition === "INVALID_SHREDDING_SPECIFICATION")
      assert(numbers(spark.table(t)) === (0 until 6))
      spark.sql(s"CREATE OR REPLACE TABLE $t (n INT, v VARIANT) USING `variant-shredded`")
      assert(spark.table(t).schema.simpleString === "struct<n:int,v:variant>")
      assert(spark.table(t).count() === 0)
      assert(dataFiles(directory(t).toString) === Nil)
      assert(traces(t) === Set(t))
    }
  }

  test(
    "external tables: files are replaced where the new table lies, and stay where the old one lay"
  ) {
    val (path, other) = (newPath(), newPath())
    withTable { t =>
      writer(rows(0, 6)).option("path", path).saveAsTable(t)
      writer(spark.table(t).where("n >= 2")).option("path", path).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === (2 until 6))
      assert(numbers(reader.load(path)) === (2 until 6))
      intercept[Exception] {
        writer(spark.sql(s"$failing $t".replace("n = 1", "n = 2")).coalesce(1))
          .option("path", path)
          .mode("overwrite")
          .saveAsTable(t)
      }
      assert(numbers(spark.table(t)) === (2 until 6))
      writer(spark.table(t).where("n >= 3")).option("path", other).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === (3 until 6))
      assert(numbers(reader.load(path)) === (2 until 6))
      // Without a path the table is managed, and back.
      writer(spark.table(t).where("n >= 4")).mode("overwrite").saveAsTable(t)
      assert(numbers(reader.load(directory(t).toString)) === Seq(4, 5))
      assert(numbers(reader.load(other)) === (3 until 6))
      val same = directory(t).toString
      writer(spark.table(t).where("n = 5")).option("path", same).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(5))
      assert(numbers(reader.load(same)) === Seq(5))
      assert(traces(t) === Set(t))
      // A managed table cannot be where files are, and the old one is kept.
      val error = intercept[Exception](writer(rows(0, 2)).mode("overwrite").saveAsTable(t))
      assert(error.getMessage.contains("LOCATION_ALREADY_EXISTS"), error)
      assert(numbers(spark.table(t)) === Seq(5))
      removeDirectory(t)
    }
  }

  test("a table is not replaced by one within its directory, or around it") {
    withTable { t =>
      created(t)
      Seq(directory(t).resolve("sub"), warehouse).foreach { path =>
        val error = intercept[VariantShreddedException] {
          writer(spark.table(t)).option("path", path.toString).mode("overwrite").saveAsTable(t)
        }
        assert(error.getMessage.contains(s"Replacing the table spark_catalog.default.$t"))
      }
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(traces(t) === Set(t))
    }
  }

  test("a table is not replaced by one whose directory is the same behind a symbolic link") {
    withTable { t =>
      created(t)
      val inner = Files.createDirectories(directory(t).resolve("_inner/deep"))
      val links = Files.createTempDirectory(folder, "links")
      val toWarehouse = Files.createSymbolicLink(links.resolve("warehouse"), warehouse)
      val toInner = Files.createSymbolicLink(links.resolve("inner"), inner)
      val found = dataFiles(directory(t).toString)
      val paths = Seq(toWarehouse.resolve(t), toWarehouse, toWarehouse.resolve(t).resolve("_inner"))
      (paths :+ toInner.resolve("new")).foreach { path =>
        val error = intercept[VariantShreddedException] {
          writer(rows(10, 12)).option("path", path.toString).mode("overwrite").saveAsTable(t)
        }
        assert(error.getMessage.contains(s"Replacing the table spark_catalog.default.$t"), path)
        assert(numbers(spark.table(t)) === (0 until 6), path)
        assert(traces(t) === Set(t), path)
        if (path != toInner.resolve("new"))
          assert(dataFiles(directory(t).toString) === found, path)
      }
      // Another directory behind a link is one.
      val path = Files.createDirectory(links.resolve("other"))
      val elsewhere = Files.createSymbolicLink(links.resolve("elsewhere"), path)
      writer(rows(10, 12)).option("path", elsewhere.toString).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(10, 11))
    }
  }

  test("a table whose directory somebody removed is replaced") {
    withTable { t =>
      created(t)
      removeDirectory(t)
      writer(rows(0, 2)).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(0, 1))
      assert(traces(t) === Set(t))
    }
  }

  /** Runs `act` at each event of the catalog that `isDue` selects, during `body`. */
  private def whenever(isDue: ExternalCatalogEvent => Boolean)(act: => Unit)(body: => Any): Unit = {
    val catalog = classicSession.sharedState.externalCatalog
    val listener = new ExternalCatalogEventListener {
      override def onEvent(event: ExternalCatalogEvent): Unit = if (isDue(event)) act
    }
    catalog.addListener(listener)
    try { val _ = body }
    finally catalog.removeListener(listener)
  }

  /** Runs `act` when the new table is in the catalog, during `body`. */
  private def whenCreated(table: String)(act: => Unit)(body: => Any): Unit = whenever {
    case CreateTableEvent(_, `table`) => true
    case _                            => false
  }(act)(body)

  /** Runs `act` when the old table has been put aside, during `body`. */
  private def whenPutAside(table: String)(act: => Unit)(body: => Any): Unit = whenever {
    case RenameTableEvent(_, `table`, _) => true
    case _                               => false
  }(act)(body)

  private def replaceByPartitions(table: String): Unit =
    writer(rows(0, 3)).mode("overwrite").partitionBy("p").saveAsTable(table)

  private def append(table: String, from: Int, until: Int): Unit =
    writer(rows(from, until)).mode("append").partitionBy("p").save(directory(table).toString)

  test("rows that another job writes to the new table before its files are there are kept") {
    withTable { t =>
      created(t)
      whenCreated(t)(append(t, 6, 9))(replaceByPartitions(t))
      assert(numbers(spark.table(t)) === Seq(0, 1, 2, 6, 7, 8))
      assert(partitions(directory(t).toString) === Seq("p=0", "p=1", "p=2"))
      assert(traces(t) === Set(t))
    }
  }

  test("a commit that fails keeps rows that another job has written to the new table") {
    withTable { t =>
      created(t)
      val inTheWay = directory(t).resolve("p=1")
      whenCreated(t) {
        append(t, 6, 7)
        val _ = Files.writeString(inTheWay, "in the way")
      }(intercept[Exception](replaceByPartitions(t)))
      Files.delete(inTheWay)
      assert(numbers(spark.table(t)) === Seq(6))
      val aside = traces(t).find(_.startsWith(s"${t}_replaced_")).get
      assert(numbers(spark.table(aside)) === (0 until 6))
      spark.sql(s"DROP TABLE $aside")
    }
  }

  test("a table is not replaced beside the log of a stream, which would hide the new rows") {
    withTable { t =>
      created(t)
      whenCreated(t) {
        val _ = Files.createDirectories(directory(t).resolve("_spark_metadata"))
      } {
        val error = intercept[VariantShreddedException](replaceByPartitions(t))
        assert(error.getMessage.contains("while it has the log of a streaming query"), error)
      }
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(traces(t) === Set(t))
    }
  }

  test("a table is not replaced beside files without partitions, which would hide the others") {
    withTable { t =>
      created(t)
      whenCreated(t)(writer(rows(6, 7)).mode("append").save(directory(t).toString)) {
        val error = intercept[VariantShreddedException](replaceByPartitions(t))
        assert(error.condition === "PARTITIONING_MISMATCH")
      }
      assert(numbers(reader.load(directory(t).toString)) === Seq(6))
      val aside = traces(t).find(_.startsWith(s"${t}_replaced_")).get
      assert(numbers(spark.table(aside)) === (0 until 6))
      spark.sql(s"DROP TABLE $aside")
    }
  }

  test("a commit that fails gives the old table its name back") {
    withTable { t =>
      created(t)
      // Something that is no directory comes into the place of the new table's.
      whenCreated(t) {
        Files.delete(directory(t))
        val _ = Files.writeString(directory(t), "in the way")
      }(intercept[Exception](writer(rows(0, 2)).mode("overwrite").saveAsTable(t)))
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(traces(t) === Set(t))
    }
  }

  test("a table gets its name back if a task of another job has made its directory again") {
    withTable { t =>
      created(t)
      val file = "_temporary/0/_temporary/attempt_0/part-0.parquet"
      whenPutAside(t) {
        val written = directory(t).resolve(file)
        Files.createDirectories(written.getParent)
        val _ = Files.writeString(written, "of another job")
      } {
        val error = intercept[Exception](replaceByPartitions(t))
        assert(error.getMessage.contains("LOCATION_ALREADY_EXISTS"), error)
      }
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(traces(t) === Set(t))
      // Its file is still there, and hidden.
      val kept = Files.walk(directory(t)).iterator.asScala.filter(_.endsWith(file)).toSeq
      assert(kept.map(Files.readString) === Seq("of another job"))
      replaceByPartitions(t)
      assert(numbers(spark.table(t)) === Seq(0, 1, 2))
      assert(traces(t) === Set(t))
    }
  }

  test("a table that is put aside keeps its directory if another job has written rows to its own") {
    withTable { t =>
      created(t)
      whenPutAside(t)(append(t, 6, 7)) {
        val error = intercept[Exception](replaceByPartitions(t))
        assert(error.getMessage.contains("LOCATION_ALREADY_EXISTS"), error)
      }
      assert(numbers(reader.load(directory(t).toString)) === Seq(6))
      val aside = spark.sql("SHOW TABLES").collect().map(_.getString(1)).find(_.contains(t)).get
      assert(aside.startsWith(s"${t}_replaced_"))
      assert(numbers(spark.table(aside)) === (0 until 6))
      spark.sql(s"DROP TABLE $aside")
      removeDirectory(t)
    }
  }

  test("tables of other formats: replaced as well; none is emptied by a query that reads it") {
    withTable { t =>
      spark.range(3).selectExpr("cast(id as int) as n").write.saveAsTable(t)
      spark.sql(
        s"CREATE OR REPLACE TABLE $t USING `variant-shredded` AS " +
          s"SELECT n, parse_json(concat('{\"n\": ', n, '}')) AS v FROM $t"
      )
      assert(numbers(spark.table(t)) === (0 until 3))
      withTable { view =>
        spark.sql(s"CREATE VIEW $view AS SELECT n FROM $t")
        val path = directory(t).toString
        Seq(
          spark.table(t),
          spark.table(view),
          reader.load(path),
          spark.sql(s"SELECT id FROM range(9) WHERE id IN (SELECT n FROM $t)")
        ).foreach { df =>
          val error = intercept[AnalysisException](df.write.mode("overwrite").saveAsTable(t))
          assert(error.getCondition === "UNSUPPORTED_OVERWRITE.TABLE")
          assert(error.getMessage.contains(s"`$t`"))
        }
      }
      assert(numbers(spark.table(t)) === (0 until 3))
      spark.range(2).write.mode("overwrite").saveAsTable(t)
      assert(spark.table(t).count() === 2)
    }
  }

  test("a view is not replaced by a table") {
    withTable { view =>
      spark.sql(s"CREATE VIEW $view AS SELECT 1 AS n")
      val error = intercept[AnalysisException] {
        spark.sql(s"CREATE OR REPLACE TABLE $view USING `variant-shredded` AS SELECT 2 AS n")
      }
      assert(error.getCondition === "WRONG_COMMAND_FOR_OBJECT_TYPE")
      assert(error.getMessage.contains(view))
      assert(spark.table(view).head().getInt(0) === 1)
    }
  }

  test("the first statement of a session replaces a table as any other") {
    withTable { t =>
      created(t)
      val session = spark.newSession()
      intercept[Exception] {
        session.sql(
          s"CREATE OR REPLACE TABLE $t USING `variant-shredded` AS SELECT cast(raise_error('boom') AS INT) AS n"
        )
      }
      assert(numbers(spark.table(t)) === (0 until 6))
    }
  }

  test("CREATE TABLE AS SELECT, and saveAsTable, where files are: refused as Spark does") {
    val path = written(rows(0, 3))
    withTable { t =>
      val ctas = s"CREATE TABLE $t USING `variant-shredded` LOCATION '$path' AS SELECT 1 AS n"
      val writes = Seq[() => Unit](
        () => { val _ = spark.sql(ctas) },
        () => writer(rows(5, 6)).option("path", path).saveAsTable(t),
        () => writer(rows(5, 6)).option("path", path).mode("append").saveAsTable(t)
      )
      writes.foreach { write =>
        val error = intercept[AnalysisException](write())
        val text =
          "CREATE-TABLE-AS-SELECT cannot create table with location to a non-empty directory"
        assert(error.getMessage.contains(text))
        assert(error.getMessage.contains(path))
        assert(!spark.catalog.tableExists(t))
        assert(numbers(reader.load(path)) === (0 until 3))
      }
      // Without a query the files become those of the table; in the mode overwrite they are replaced.
      spark.sql(s"CREATE TABLE $t USING `variant-shredded` LOCATION '$path'")
      assert(numbers(spark.table(t)) === (0 until 3))
      spark.sql(s"DROP TABLE $t")
      writer(rows(5, 6)).option("path", path).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(5))
      spark.sql(s"DROP TABLE $t")
      withConf("spark.sql.legacy.allowNonEmptyLocationInCTAS" -> "true") {
        writer(rows(7, 8)).option("path", path).saveAsTable(t)
        assert(numbers(spark.table(t)) === Seq(7))
      }
    }
    val empty = Files.createDirectories(Path.of(newPath()))
    withTable { t =>
      writer(rows(0, 3)).option("path", empty.toString).saveAsTable(t)
      assert(numbers(spark.table(t)) === (0 until 3))
    }
  }

  test("a table that a query makes where partitioned files are has the columns of the query") {
    def ofPath(path: String) = s"USING variant_shredded LOCATION '$path' AS SELECT"
    Seq(false, true).foreach { hasColumn =>
      val columns = if (hasColumn) Seq("p", "n", "v") else Seq("n", "v")
      val select = s"${columns.mkString(", ")} FROM replacement"
      val ways = Seq[(String, String) => Any](
        (t, path) =>
          writer(rows(5, 7).selectExpr(columns: _*))
            .mode("overwrite")
            .option("path", path)
            .saveAsTable(t),
        (t, path) => spark.sql(s"CREATE OR REPLACE TABLE $t ${ofPath(path)} $select"),
        (t, path) =>
          withConf("spark.sql.legacy.allowNonEmptyLocationInCTAS" -> "true") {
            spark.sql(s"CREATE TABLE $t ${ofPath(path)} $select")
          },
        (t, path) => {
          writer(rows(8, 9)).saveAsTable(t)
          spark.sql(s"CREATE OR REPLACE TABLE $t ${ofPath(path)} $select")
        }
      )
      ways.foreach { replace =>
        val path = written(rows(0, 3), "p")
        rows(5, 7).createOrReplaceTempView("replacement")
        withTable { t =>
          replace(t, path)
          assert(spark.table(t).columns.toSeq === columns)
          assert(numbers(spark.table(t)) === Seq(5, 6))
          assert(partitions(path) === Seq(""))
          val described = spark.sql(s"DESCRIBE $t").collect().map(_.getString(0)).toSeq
          assert(described === columns)
          spark.sql(s"INSERT INTO $t ${s"SELECT $select"}")
          assert(numbers(spark.table(t)) === Seq(5, 5, 6, 6))
        }
      }
    }
    // Without a query, the files stay, and with them their partitions.
    val path = written(rows(0, 3), "p")
    withTable { t =>
      spark.sql(
        s"CREATE OR REPLACE TABLE $t (n INT, v VARIANT) USING variant_shredded LOCATION '$path'"
      )
      assert(spark.table(t).columns.toSeq === Seq("n", "v", "p"))
      assert(numbers(spark.table(t)) === (0 until 3))
    }
  }

  test("CREATE TABLE AS SELECT on a path takes no other format and no other location") {
    val path = newPath()
    val name = s"variant_shredded.`$path`"
    val format = intercept[VariantShreddedException] {
      spark.sql(s"CREATE TABLE $name USING csv AS SELECT 1 AS n")
    }
    assert(
      format.getMessage === "[UNSUPPORTED_FEATURE] USING csv for a path of the catalog " +
        "variant_shredded is not supported. Leave it out."
    )
    val location = intercept[VariantShreddedException] {
      spark.sql(s"CREATE TABLE $name LOCATION '${newPath()}' AS SELECT 1 AS n")
    }
    assert(location.getMessage.contains("LOCATION '"), location.getMessage)
    assert(location.getMessage.endsWith("is not supported. Name the directory as the table."))
    assert(!Files.exists(Path.of(path)))
    spark.sql(
      s"CREATE TABLE $name USING `variant-shredded` LOCATION '$path' AS SELECT 1 AS n"
    )
    assert(reader.load(path).head().getInt(0) === 1)
    rows(0, 2).write.mode("overwrite").saveAsTable(name)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }
}
