package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import scala.collection.mutable

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{classic, functions, AnalysisException, DataFrame, Row}
import org.apache.spark.sql.catalyst.catalog.{
  CreateTableEvent,
  CreateTablePreEvent,
  ExternalCatalogEvent,
  ExternalCatalogEventListener
}

/** Tables by name in the session catalog. */
class CatalogedTableSuite extends PathSuite {

  private def withTable(test: String => Unit): Unit = {
    val name = s"t_${java.util.UUID.randomUUID.toString.replace("-", "")}"
    try test(name)
    finally {
      val _ = spark.sql(s"DROP TABLE IF EXISTS $name")
    }
  }

  private def directory(table: String): Path =
    Path.of(spark.conf.get("spark.sql.warehouse.dir").stripPrefix("file:")).resolve(table)

  private def created(table: String): Unit = {
    val _ = spark.sql(
      s"CREATE TABLE $table (n INT, p INT, v VARIANT) USING `variant-shredded` PARTITIONED BY (p)"
    )
  }

  private def insert(statement: String, df: DataFrame): Unit = {
    df.createOrReplaceTempView("rows_to_insert")
    val _ = spark.sql(s"$statement SELECT n, v, p FROM rows_to_insert")
  }

  test("CREATE TABLE, INSERT INTO, SELECT, DROP TABLE") {
    withTable { t =>
      created(t)
      assert(spark.table(t).schema.simpleString === "struct<n:int,v:variant,p:int>")
      assert(spark.table(t).count() === 0)
      insert(s"INSERT INTO $t", rows(0, 3))
      insert(s"INSERT INTO $t", rows(3, 6))
      assert(partitions(directory(t).toString) === Seq("p=0", "p=1", "p=2"))
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(numbers(spark.table(t).where("p = 1")) === Seq(1, 4))
      val plan = spark.table(t).where("p = 1").select("v").queryExecution.executedPlan.toString
      assert(plan.contains("ReadSchema: struct<v:variant>"), plan)
      assert(plan.contains("PartitionFilters: [isnotnull(p#"), plan)
      spark.sql(s"DROP TABLE $t")
      assert(!Files.exists(directory(t)))
    }
  }

  test("partition columns are last, wherever they are declared, as in Spark's Parquet source") {
    withTable { t =>
      created(t)
      spark.sql(s"INSERT INTO $t VALUES (7, parse_json('{\"n\": 7}'), 1)")
      assert(spark.table(t).selectExpr("n", "p", "v:n::int").head() === Row(7, 1, 7))
      assert(spark.sql(s"SELECT * FROM $t").columns === Array("n", "v", "p"))
    }
  }

  test("INSERT resolves columns and casts as for any table") {
    withTable { t =>
      created(t)
      spark.sql(s"INSERT INTO $t (v, n) VALUES (parse_json('1'), 1)")
      assert(spark.table(t).selectExpr("n", "p", "v::int").head() === Row(1, null, 1))
      val error = intercept[AnalysisException] {
        spark.sql(s"INSERT INTO $t VALUES (1, 'x')")
      }
      assert(error.getCondition.startsWith("INSERT_COLUMN_ARITY_MISMATCH"))
      spark.sql(s"INSERT INTO $t PARTITION (p = 9) SELECT 5, parse_json('{\"n\": 5}')")
      assert(numbers(spark.table(t).where("p = 9")) === Seq(5))
    }
  }

  test("INSERT OVERWRITE, of a table, a partition, the partitions with new rows") {
    withTable { t =>
      created(t)
      insert(s"INSERT INTO $t", rows(0, 6))
      spark.sql(s"INSERT OVERWRITE $t PARTITION (p = 1) SELECT 10, parse_json('{\"n\": 10}')")
      assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5, 10))
      spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
      try insert(s"INSERT OVERWRITE $t", rows(20, 21))
      finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
      assert(numbers(spark.table(t)) === Seq(0, 3, 10, 20))
      insert(s"INSERT OVERWRITE $t", rows(30, 31))
      assert(numbers(spark.table(t)) === Seq(30))
    }
  }

  test("CREATE TABLE AS SELECT; a failed one leaves nothing") {
    withTable { t =>
      rows(0, 6).createOrReplaceTempView("source")
      spark.sql(
        s"CREATE TABLE $t USING `variant-shredded` PARTITIONED BY (p) AS SELECT * FROM source"
      )
      assert(numbers(spark.table(t)) === (0 until 6))
      val error = intercept[AnalysisException] {
        spark.sql(s"CREATE TABLE $t USING `variant-shredded` AS SELECT * FROM source")
      }
      assert(error.getCondition === "TABLE_OR_VIEW_ALREADY_EXISTS")
    }
    withTable { t =>
      intercept[Exception] {
        spark.sql(
          s"CREATE TABLE $t USING `variant-shredded` AS " +
            "SELECT n, if(n = 3, raise_error('boom'), v) AS v FROM source"
        )
      }
      assert(!spark.catalog.tableExists(t))
      assert(!Files.exists(directory(t)) || dataFiles(directory(t).toString).isEmpty)
    }
  }

  test("saveAsTable in all modes, insertInto") {
    withTable { t =>
      writer(rows(0, 2)).partitionBy("p").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(0, 1))
      val error = intercept[AnalysisException](writer(rows(2, 4)).saveAsTable(t))
      assert(error.getCondition === "TABLE_OR_VIEW_ALREADY_EXISTS")
      writer(rows(2, 4)).mode("ignore").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(0, 1))
      writer(rows(2, 4).select("v", "p", "n")).mode("append").saveAsTable(t)
      assert(numbers(spark.table(t)) === (0 until 4))
      rows(4, 5).select("n", "v", "p").write.insertInto(t)
      assert(numbers(spark.table(t)) === (0 until 5))
      writer(rows(5, 7)).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(5, 6))
    }
  }

  test("LOCATION: the files tell the schema; they outlive the table") {
    val path = written(rows(0, 6), "p")
    withTable { t =>
      spark.sql(s"CREATE TABLE $t USING `variant-shredded` LOCATION '$path'")
      assert(spark.table(t).schema.simpleString === "struct<n:int,v:variant,p:int>")
      assert(numbers(spark.table(t).where("p = 2")) === Seq(2, 5))
      spark.sql(s"INSERT INTO $t VALUES (6, parse_json('{\"n\": 6}'), 0)")
      assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
      spark.sql(s"DROP TABLE $t")
      assert(numbers(reader.load(path)) === (0 until 7))
    }
    withTable { t =>
      spark.catalog.createTable(t, path, "variant-shredded")
      assert(numbers(spark.table(t)) === (0 until 7))
    }
  }

  test("a table without columns of its own is created in one step") {
    val location = newPath()
    writer(rows(0, 3)).save(s"$location/p=8")
    withTable { t =>
      val catalog = spark match {
        case session: classic.SparkSession => session.sharedState.externalCatalog
        case other                         => fail(s"not a classic session: $other")
      }
      val events = mutable.Buffer.empty[ExternalCatalogEvent]
      val listener = new ExternalCatalogEventListener {
        override def onEvent(event: ExternalCatalogEvent): Unit = events += event
      }
      catalog.addListener(listener)
      try spark.sql(s"CREATE TABLE $t USING variant_shredded COMMENT 'files' LOCATION '$location'")
      finally catalog.removeListener(listener)
      assert(
        events.toSeq === Seq(CreateTablePreEvent("default", t), CreateTableEvent("default", t))
      )
      val entry = catalog.getTable("default", t)
      assert(entry.schema.isEmpty)
      assert(entry.comment === Some("files"))
      assert(spark.table(t).columns === Array("n", "p", "v"))
      val error = intercept[AnalysisException] {
        spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$location'")
      }
      assert(error.getCondition === "TABLE_OR_VIEW_ALREADY_EXISTS")
    }
  }

  test("a table over files has the same columns whichever statement makes it") {
    val location = newPath()
    writer(rows(0, 3)).save(s"$location/p=8")
    val make = s"USING variant_shredded LOCATION '$location'"
    Seq[String => Any](
      t => spark.sql(s"CREATE TABLE $t $make"),
      t => spark.sql(s"CREATE OR REPLACE TABLE $t $make"),
      t => {
        writer(rows(5, 6)).saveAsTable(t)
        spark.sql(s"CREATE OR REPLACE TABLE $t $make")
      },
      t => {
        spark.range(3).write.saveAsTable(t)
        spark.sql(s"REPLACE TABLE $t $make")
      }
    ).zipWithIndex.foreach { case (created, i) =>
      withTable { t =>
        created(t)
        assert(spark.table(t).columns === Array("n", "p", "v"), i)
        assert(numbers(spark.table(t).where("p = 8")) === (0 until 3), i)
      }
    }
  }

  test("options of the table hold for reads and writes") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT) USING `variant-shredded` OPTIONS (compression 'gzip')"
      )
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'))")
      assert(dataFiles(directory(t).toString).forall(_.endsWith(".gz.parquet")))
      assert(numbers(spark.table(t)) === Seq(1))
      val shown = spark.sql(s"SHOW CREATE TABLE $t").head().getString(0)
      assert(shown.contains("USING variant_shredded"), shown)
      assert(shown.contains("'compression' = 'gzip'"), shown)
      assert(!shown.contains("path"), shown)
      val described = spark.sql(s"DESCRIBE TABLE EXTENDED $t").collect().map(_.getString(0))
      assert(described.contains("Location"))
    }
  }

  test("SHOW CREATE TABLE gives a statement that makes the same table again, by either name") {
    Seq("`variant-shredded`", "variant_shredded").foreach { format =>
      withTable { t =>
        spark.sql(
          s"CREATE TABLE $t (n INT COMMENT 'a number', v VARIANT, p STRING) USING $format " +
            "PARTITIONED BY (p) OPTIONS (compression 'gzip') TBLPROPERTIES ('made_by' = 'me')"
        )
        val shown = spark.sql(s"SHOW CREATE TABLE $t").head().getString(0)
        spark.sql(s"DROP TABLE $t")
        spark.sql(shown)
        assert(spark.sql(s"SHOW CREATE TABLE $t").head().getString(0) === shown)
        spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 'a')")
        assert(spark.table(t).where("p = 'a'").selectExpr("v:n::int").head().getInt(0) === 1)
      }
    }
  }

  test("recursiveFileLookup of a table with partition columns is refused, as by Spark") {
    def condition(body: => Any): String = intercept[AnalysisException](body).getCondition
    val refused = "RECURSIVE_FILE_LOOKUP_NOT_SUPPORTED_FOR_PARTITIONED_DATA_SOURCE"
    val lookup = "recursiveFileLookup"
    withTable { t =>
      created(t)
      insert(s"INSERT INTO $t", rows(0, 6))
      assert(condition(spark.read.option(lookup, "true").table(t).collect()) === refused)
      assert(
        condition(spark.sql(s"SELECT * FROM $t WITH ('$lookup' = true)").collect()) === refused
      )
      assert(numbers(spark.read.option(lookup, "false").table(t)) === (0 until 6))
      val path = directory(t)
      assert(condition {
        spark.sql(s"SELECT * FROM variant_shredded.`$path` WITH ('$lookup' = true)").collect()
      } === refused)
      // By path there is a way to read the files without the directories' columns.
      val files = reader.option(lookup, "true").load(path.toString)
      assert(files.columns === Array("n", "v"))
      assert(numbers(files) === (0 until 6))
      // The table can still be altered and dropped.
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$lookup' = 'true')")
      assert(condition(spark.table(t).collect()) === refused)
      spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('$lookup')")
      assert(numbers(spark.table(t).where("p = 1")) === Seq(1, 4))
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$lookup' = 'true')")
    }
    withTable { t =>
      def create(partitions: String) = spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING `variant-shredded` " +
          s"OPTIONS ($lookup = true) $partitions"
      )
      assert(condition(create("PARTITIONED BY (p)")) === refused)
      create("")
      insert(s"INSERT INTO $t", rows(0, 2))
      assert(numbers(spark.table(t)) === Seq(0, 1))
    }
  }

  test("CACHE TABLE follows INSERT and REFRESH TABLE") {
    withTable { t =>
      created(t)
      insert(s"INSERT INTO $t", rows(0, 2))
      spark.sql(s"CACHE TABLE $t")
      insert(s"INSERT INTO $t", rows(2, 4))
      assert(numbers(spark.table(t)) === (0 until 4))
      // Files that came without Spark's knowledge.
      val other = written(rows(3, 4), "p")
      Files.copy(
        Path.of(other, dataFiles(other).head),
        directory(t).resolve("p=0").resolve("other.parquet")
      )
      assert(spark.table(t).count() === 4)
      spark.sql(s"REFRESH TABLE $t")
      assert(spark.table(t).count() === 5)
      spark.sql(s"UNCACHE TABLE $t")
    }
  }

  test("columns that were added later are null in old files") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT) USING `variant-shredded`")
      spark.sql(s"INSERT INTO $t VALUES (0, parse_json('{\"n\": 0}'))")
      spark.sql(s"ALTER TABLE $t ADD COLUMN extra STRING")
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 'x')")
      assert(spark.table(t).select("n", "extra").collect().toSet === Set(Row(0, null), Row(1, "x")))
      assert(numbers(spark.table(t)) === Seq(0, 1))
    }
  }

  test("an overwrite by another condition than partition values says what is supported") {
    withTable { t =>
      created(t)
      insert(s"INSERT INTO $t", rows(0, 6))
      val hint = "Only partition columns can be compared, each with one value."
      Seq("p > 1" -> "p > 1", "p = 1 OR p = 2" -> "(p = 1) OR (p = 2)", "n = 1" -> "n = 1")
        .foreach { case (condition, shown) =>
          val expected = s"[UNSUPPORTED_FEATURE] Overwriting where $shown is not supported. $hint"
          val errors = Seq(
            intercept[VariantShreddedException] {
              spark.sql(
                s"INSERT INTO $t REPLACE WHERE $condition SELECT 7, parse_json('{}'), 1"
              )
            },
            intercept[VariantShreddedException] {
              rows(0, 1)
                .select("n", "v", "p")
                .writeTo(t)
                .overwrite(functions.expr(condition))
            }
          )
          assert(errors.map(_.getMessage) === Seq(expected, expected))
        }
      assert(numbers(spark.table(t)) === (0 until 6))
      spark.sql(s"INSERT INTO $t REPLACE WHERE p = 1 SELECT 7, parse_json('{\"n\": 7}'), 1")
      assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5, 7))
    }
  }

  test("a temporary view over files can be read, not written") {
    val path = written(rows(0, 2))
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY VIEW files USING `variant-shredded` OPTIONS (path '$path')"
    )
    assert(numbers(spark.table("files")) === Seq(0, 1))
    val error = intercept[VariantShreddedException] {
      spark.sql("INSERT INTO files SELECT * FROM files")
    }
    assert(
      error.getMessage === "[UNSUPPORTED_FEATURE] INSERT INTO a temporary view over files or a glob " +
        "is not supported. Write with df.write.format(\"variant-shredded\").save(path) or to a table."
    )
  }

  test("a table whose columns come from the files is dropped after the files") {
    Seq("DROP TABLE", "DROP TABLE IF EXISTS").foreach { drop =>
      withTable { t =>
        val path = newPath()
        spark.sql(
          s"INSERT OVERWRITE DIRECTORY '$path/p=1' USING variant_shredded SELECT 1 AS n, 5 AS p"
        )
        spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$path'")
        assert(spark.table(t).count() === 1)
        spark.sql(s"DELETE FROM $t")
        spark.sql(s"$drop $t")
        assert(!spark.catalog.tableExists(t))
      }
    }
  }

  test("INSERT OVERWRITE DIRECTORY replaces all rows in every session") {
    Seq("static", "dynamic").foreach { mode =>
      withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
        val path = newPath()
        def partitioned() = writer(rows(0, 6))
          .mode("overwrite")
          .option("partitionOverwriteMode", "static")
          .partitionBy("p")
          .save(path)
        partitioned()
        def insert(options: String, values: String) = spark.sql(
          s"INSERT OVERWRITE DIRECTORY '$path' USING variant_shredded $options " +
            s"SELECT n, parse_json(concat('{\"n\": ', n, '}')) AS v, 1 AS p FROM VALUES $values AS t(n)"
        )
        insert("", "(7), (8)")
        assert(numbers(reader.load(path)) === Seq(7, 8))
        partitioned()
        insert("OPTIONS (PARTITIONOVERWRITEMODE 'dynamic')", "(9)")
        assert(numbers(reader.load(path)) === Seq(0, 2, 3, 5, 9))
      }
    }
  }

  test("REFRESH of a path lists the files of cached tables and of paths in SQL again") {
    withTable { t =>
      val path = written(rows(0, 3))
      spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$path'")
      val reads = Seq(spark.table(t), spark.table(s"variant_shredded.`$path`"), reader.load(path))
      reads.foreach(read => assert(numbers(read.cache()) === (0 until 3)))
      // Another program adds a file, which this session does not notice.
      val file = onlyFile(written(rows(3, 4)))
      java.nio.file.Files.copy(file, java.nio.file.Path.of(path, "added.parquet"))
      reads.foreach(read => assert(numbers(read) === (0 until 3)))
      spark.sql(s"REFRESH '$path'")
      Seq(spark.table(t), spark.table(s"variant_shredded.`$path`"), reader.load(path)).foreach {
        read => assert(numbers(read) === (0 until 4))
      }
      reads.foreach(_.unpersist())
    }
  }

  test("CREATE TABLE ... LOCATION without USING, if the session's source is this one") {
    val location = written(rows(0, 3), "p")
    val inFiles = newPath()
    writer(rows(0, 2)).save(s"$inFiles/p=8")
    withConf("spark.sql.sources.default" -> "variant-shredded") {
      Seq(
        s"LOCATION '$location'" -> (0 until 3),
        s"(n INT, v VARIANT, p INT) LOCATION '$location'" -> (0 until 3),
        s"(n INT, v VARIANT, p INT) PARTITIONED BY (p) LOCATION '$location'" -> (0 until 3),
        s"LOCATION '$inFiles'" -> (0 until 2)
      ).foreach { case (declared, expected) =>
        withTable { t =>
          spark.sql(s"CREATE TABLE $t $declared")
          assert(numbers(spark.table(t)) === expected, declared)
          assert(spark.table(t).columns.toSet === Set("n", "v", "p"))
          val shown = spark.sql(s"SHOW CREATE TABLE $t").head().getString(0)
          assert(shown.contains("USING variant_shredded"), shown)
          // The entry keeps its format in sessions with another one.
          withConf("spark.sql.sources.default" -> "parquet") {
            assert(numbers(spark.table(t)) === expected, declared)
          }
        }
      }
      withTable { t =>
        val error = intercept[VariantShreddedException] {
          spark.sql(s"CREATE TABLE $t LOCATION '$location' OPTIONS (shreding 'n int')")
        }
        assert(error.getMessage.contains("did you mean 'shredding'"))
      }
    }
  }

  test("an append with the path of another directory is refused") {
    withTable { t =>
      val (location, other) = (newPath(), newPath())
      writer(rows(0, 1)).option("path", location).saveAsTable(t)
      def condition(body: => Any): String = intercept[AnalysisException](body).getCondition
      def append(path: String): Unit =
        writer(rows(1, 2)).option("path", path).mode("append").saveAsTable(t)
      val message = intercept[AnalysisException](append(other)).getMessage
      assert(message.contains(location) && message.contains(other), message)
      val parquet = intercept[AnalysisException] {
        withTable { like =>
          rows(0, 1).write.option("path", newPath()).saveAsTable(like)
          rows(1, 2).write.option("path", other).mode("append").saveAsTable(like)
        }
      }
      assert(condition(append(other)) === parquet.getCondition)
      Seq[() => Unit](
        () => rows(1, 2).writeTo(t).option("PATH", other).append(),
        () => rows(1, 2).writeTo(t).option("path", other).overwritePartitions(),
        () => append("relative")
      ).foreach(write => assert(condition(write()) === parquet.getCondition))
      assert(!Files.exists(Path.of(other)))
      assert(numbers(spark.table(t)) === Seq(0))
      Seq(location, s"$location/", s"file:$location", s"file://$location").foreach(append)
      assert(spark.table(t).count() === 5)
      // As in Spark's Parquet source.
      writer(rows(1, 2)).option("path", other).insertInto(t)
      assert(spark.table(t).count() === 6)
    }
  }

  test("saveAsTable with a relative path creates the table and adds to it") {
    withTable { t =>
      val relative = s"below_$t"
      (0 until 2).foreach { n =>
        writer(rows(n, n + 1)).option("path", relative).mode("append").saveAsTable(t)
      }
      writer(rows(4, 6)).option("path", relative).mode("overwrite").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(4, 5))
      assert(dataFiles(directory(relative).toString).nonEmpty)
    }
  }
}
