package io.github.variantshredded.table

import java.nio.file.Files

import io.github.variantshredded.VariantShreddedExtensions
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.{FormatComparison, TableSuite}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier

/** Tables in Hive's metastore give the same answers as with Spark's Parquet source. */
class HiveTablesSuite extends TableSuite {

  private lazy val hive = Files.createTempDirectory("hive")

  override protected lazy val spark: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.warehouse.dir", hive.resolve("warehouse").toUri.toString)
    .config(
      "spark.hadoop.javax.jdo.option.ConnectionURL",
      "jdbc:derby:memory:variantshredded;create=true"
    )
    .config("spark.sql.extensions", classOf[VariantShreddedExtensions].getName)
    .config(ReadOptions.TakeOver.name, "none")
    .enableHiveSupport()
    .getOrCreate()

  TableStatements.Scripts.foreach { case (name, script) =>
    test(s"as with parquet: $name") {
      written(rows(0, 1)) // the session knows the catalog of paths
      val folder = Files.createTempDirectory("directories").toString
      FormatComparison.run(spark, folder, script).foreach { answers =>
        assert(answers.ours === answers.parquet, answers.statement)
      }
    }
  }

  test("saveAsTable in all modes, with partition columns in the midst") {
    withTable { t =>
      writer(rows(0, 2)).partitionBy("p").saveAsTable(t)
      assert(spark.table(t).columns === Array("n", "v", "p"))
      writer(rows(2, 4).select("v", "p", "n")).mode("append").partitionBy("p").saveAsTable(t)
      writer(rows(4, 5)).mode("ignore").saveAsTable(t)
      assert(numbers(spark.table(t)) === (0 until 4))
      writer(rows(5, 7)).mode("overwrite").partitionBy("p").saveAsTable(t)
      assert(numbers(spark.table(t)) === Seq(5, 6))
      assert(numbers(spark.table(t).where("p = 0")) === Seq(6))
    }
  }

  test("saveAsTable replaces tables in Hive's own formats by partitioned ones") {
    Seq("", "PARTITIONED BY (p INT)").foreach { partitioned =>
      Seq(None, Some(newPath())).foreach { path =>
        withTable { t =>
          val columns = if (partitioned.isEmpty) "n INT, v STRING, p INT" else "n INT, v STRING"
          val location = path.fold("")(path => s"LOCATION '$path'")
          spark.sql(s"CREATE TABLE $t ($columns) $partitioned STORED AS TEXTFILE $location")
          withConf("hive.exec.dynamic.partition.mode" -> "nonstrict") {
            rows(0, 6).selectExpr("n", "to_json(v) AS v", "p").write.insertInto(t)
          }
          val old = spark.table(t).selectExpr("n", "p", "parse_json(v) AS v")
          val failing = old.selectExpr("n", "p", "if(n = 1, raise_error('boom'), v) AS v")
          Seq(
            writer(failing.coalesce(1)),
            writer(old).option("shreding", "none"),
            writer(old).bucketBy(2, "n")
          ).foreach { save =>
            intercept[Exception](save.mode("overwrite").saveAsTable(t))
            assert(numbers(old) === (0 until 6))
          }
          writer(old.where("n >= 2")).mode("overwrite").partitionBy("p").saveAsTable(t)
          writer(rows(6, 8)).mode("append").partitionBy("p").saveAsTable(t)
          spark.sql(s"DELETE FROM $t WHERE p = 2")
          assert(numbers(spark.table(t)) === Seq(3, 4, 6, 7))
        }
      }
    }
  }

  test(
    "a commit that the metastore refuses leaves a managed table in another directory as it was"
  ) {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded")
      spark.sql(s"ALTER TABLE $t SET LOCATION '${newPath()}'")
      writer(rows(0, 3).select("n", "v")).insertInto(t)
      def location = spark.sessionState.catalog.getTableMetadata(TableIdentifier(t)).location
      val before = location
      // Spark uses this name for its own entries.
      val refused = rows(3, 6).withColumnRenamed("p", "col")
      intercept[Exception] {
        writer(refused).mode("overwrite").partitionBy("col").saveAsTable(t)
      }
      assert(location === before)
      assert(numbers(spark.table(t)) === (0 until 3))
      assert(traces(t) === Set(t))
    }
  }

  test("files with a column that is also a partition column: it stays where it is") {
    withTable { t =>
      val location = newPath()
      rows(0, 2).write.format("variant-shredded").save(s"$location/p=8")
      spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$location'")
      assert(spark.table(t).columns === Array("n", "p", "v"))
      assert(spark.table(t).select("p").distinct().head().getInt(0) === 8)
      assert(numbers(spark.table(t)) === Seq(0, 1))
    }
  }

  test("LIKE of a table of this format STORED AS a format of Hive, and LIKE of a table of Hive") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, p INT) USING variant_shredded PARTITIONED BY (p)")
      Seq("PARQUET", "TEXTFILE").foreach { format =>
        withTable { like =>
          withTable { second =>
            val path = newPath()
            spark.sql(s"CREATE TABLE $like LIKE $t STORED AS $format LOCATION '$path'")
            spark.sql(s"CREATE TABLE $second LIKE $like")
            Seq(like, second).foreach { hive =>
              spark.sql(s"INSERT INTO $hive PARTITION (p = 2) VALUES (1)")
              assert(spark.table(hive).collect().map(_.toString) === Array("[1,2]"))
              val entry = spark.sessionState.catalog.getTableMetadata(TableIdentifier(hive))
              assert(entry.provider === Some("hive"))
            }
            assert(Files.exists(java.nio.file.Path.of(path, "p=2")))
          }
        }
      }
      withTable { like =>
        val error = intercept[org.apache.spark.sql.AnalysisException] {
          spark.sql(s"CREATE TABLE $like LIKE $t STORED AS nothing")
        }
        assert(error.getMessage.contains("nothing"))
      }
    }
  }

  test("run-time filters of a table that is taken over have values that Hive refuses") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (id BIGINT, v VARIANT, p STRING) USING parquet PARTITIONED BY (p)"
      )
      spark.sql(
        s"INSERT INTO $t SELECT id, parse_json('{\"a\": 1}'), concat('part-', id) FROM range(4)"
      )
      def same(query: String): Unit = {
        val answers = Seq("none", "parquet").map { sources =>
          withConf(ReadOptions.TakeOver.name -> sources) {
            val found = spark.sql(query)
            val plan = found.queryExecution.executedPlan.toString
            assert(plan.contains("TakenOverFrom: parquet") === (sources == "parquet"), plan)
            found.collect().map(_.toString).toSeq.sorted
          }
        }
        assert(answers.head.nonEmpty && answers.toSet.size === 1, query)
      }
      // Hive's filters have no string with both quotes.
      Seq("id < 2", "id < 30").foreach { some =>
        spark
          .sql(
            "SELECT id AS k, if(id = 1, concat(\"5'10\", '\"'), concat('part-', id)) AS name " +
              s"FROM range(40) WHERE $some"
          )
          .write
          .mode("overwrite")
          .saveAsTable("dim")
        same(s"SELECT t.id, t.v:a::int FROM $t t JOIN dim ON t.p = dim.name WHERE dim.k >= 0")
      }
      val odd = "SELECT max(name) FROM dim WHERE k = 1"
      same(s"SELECT t.id, t.v:a::int FROM $t t WHERE t.p = ($odd) OR t.v:a::int = 1")
      same(s"SELECT count(t.v:a::int) FROM $t t WHERE t.p = ($odd)")
      spark.sql("DROP TABLE dim")
    }
  }
}
