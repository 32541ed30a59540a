package io.github.variantshredded.table

import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.AnalysisException

/** Statements with several inserts, `FROM ... INSERT ... INSERT ...`. */
class SeveralInsertsSuite extends TableSuite {

  private def withEvents(test: (String, String, String) => Unit): Unit =
    withTable { events =>
      withTable { archive =>
        withTable { others =>
          for ((table, until) <- Seq(events -> 6, archive -> 0, others -> 0))
            writer(rows(0, until)).partitionBy("p").saveAsTable(table)
          test(events, archive, others)
        }
      }
    }

  private def all(table: String): Seq[Int] = numbers(spark.table(table))

  private def refused(statement: String): Unit = {
    val error = intercept[AnalysisException](spark.sql(statement))
    assert(error.getCondition.startsWith("UNSUPPORTED_OVERWRITE."), error.getMessage)
  }

  private val modes = Seq("static", "dynamic")

  test("an insert is refused if an earlier one of the statement replaces the files that it reads") {
    withEvents { (events, archive, others) =>
      val files = dataFiles(directory(events).toString)
      val (keep, rest) = ("SELECT n, v, p WHERE n < 3", "SELECT n, v, p WHERE n >= 3")
      def path = newPath()
      val first = s"INSERT OVERWRITE TABLE $events $keep"
      val inPath = s"INSERT OVERWRITE variant_shredded.`${directory(events)}` $keep"
      for {
        mode <- modes
        from <- Seq(events, s"variant_shredded.`${directory(events)}`", s"(SELECT * FROM $events)")
        overwrite <- Seq(first, inPath)
        statement <- Seq(
          s"FROM $from $overwrite INSERT INTO $archive $rest",
          s"FROM $from $overwrite INSERT OVERWRITE TABLE $archive $rest",
          s"FROM $from $overwrite INSERT OVERWRITE DIRECTORY '$path' USING parquet $rest",
          s"FROM $from $overwrite INSERT OVERWRITE DIRECTORY '$path' USING variant_shredded $rest",
          s"WITH x AS (SELECT * FROM $from) FROM x $overwrite INSERT INTO $archive $rest",
          s"WITH x AS (SELECT * FROM $from) FROM x INSERT INTO $others $rest $overwrite " +
            s"INSERT OVERWRITE DIRECTORY '$path' USING parquet $rest",
          s"FROM $others $overwrite " +
            s"INSERT INTO $archive $rest AND n > (SELECT count(v:n::int) FROM $from)"
        )
      } withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
        refused(statement)
        assert(dataFiles(directory(events).toString) === files, statement)
      }
      withTable { view =>
        spark.sql(s"CREATE VIEW $view AS SELECT * FROM $events")
        refused(s"FROM $view $first INSERT INTO $archive $rest")
        refused(s"FROM $view $first INSERT OVERWRITE DIRECTORY '$path' USING parquet $rest")
      }
      spark.sql(s"CACHE TABLE $events")
      try {
        spark.table(events).count()
        refused(s"FROM $events $first INSERT INTO $archive $rest")
        refused(s"FROM $events $first INSERT OVERWRITE DIRECTORY '$path' USING parquet $rest")
      } finally { val _ = spark.sql(s"UNCACHE TABLE $events") }
      assert(all(events) === (0 until 6))
      assert(all(archive) ++ all(others) === Nil)
    }
  }

  test("a directory is not replaced before another insert of the statement reads it") {
    withEvents { (events, archive, _) =>
      val path = written(rows(0, 6))
      Seq("parquet", "variant_shredded").foreach { format =>
        val overwrite = s"INSERT OVERWRITE DIRECTORY '$path' USING $format SELECT n, v, p"
        refused(
          s"FROM $events $overwrite INSERT INTO $archive " +
            s"SELECT n, v, p WHERE n IN (SELECT n FROM variant_shredded.`$path`)"
        )
        assert(numbers(reader.load(path)) === (0 until 6))
      }
      assert(all(archive) === Nil)
    }
  }

  test("a table of Spark's Parquet source is not replaced before another insert reads its files") {
    withEvents { (_, archive, _) =>
      withTable { t =>
        val path = newPath()
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT, p INT, q INT) USING parquet PARTITIONED BY (p, q) " +
            s"LOCATION '$path'"
        )
        rows(0, 6).selectExpr("n", "v", "p", "n AS q").write.insertInto(t)
        val from = s"FROM variant_shredded.`$path`"
        val rest = s"INSERT INTO $archive SELECT n, v, p"
        modes.foreach { mode =>
          withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
            refused(s"$from INSERT OVERWRITE TABLE $t SELECT n, v, p, q WHERE n < 3 $rest")
            refused(
              s"$from INSERT OVERWRITE TABLE $t PARTITION (p = 0, q) SELECT n, v, q WHERE n < 3 " +
                rest
            )
            assert(numbers(reader.load(path)) === (0 until 6))
            assert(all(archive) === Nil)
          }
        }
        modes.foreach { mode =>
          withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
            spark.sql(
              s"$from INSERT OVERWRITE TABLE $t PARTITION (p = 9, q) SELECT n, v, q WHERE p = 1 " +
                s"INSERT OVERWRITE TABLE $archive SELECT n, v, p WHERE p < 2"
            )
            assert(all(archive) === Seq(0, 1, 3, 4))
          }
        }
      }
    }
  }

  test("the insert that replaces what the statement reads can be the last one") {
    modes.foreach { mode =>
      withEvents { (events, archive, others) =>
        withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
          val path = newPath()
          spark.sql(
            s"FROM $events INSERT INTO $archive SELECT n, v, p WHERE n >= 3 " +
              s"INSERT OVERWRITE DIRECTORY '$path' USING variant_shredded " +
              "SELECT n, v WHERE n >= 4 " +
              s"INSERT OVERWRITE TABLE $others SELECT n, v, p WHERE n >= 5 " +
              s"INSERT OVERWRITE TABLE $events SELECT n, v, p WHERE n < 3"
          )
          assert(all(archive) === Seq(3, 4, 5))
          assert(numbers(reader.load(path)) === Seq(4, 5))
          assert(all(others) === Seq(5))
          assert(all(events) === (0 until 3))
        }
      }
    }
  }

  test("one that reads other partitions than an earlier one replaces is run") {
    withEvents { (events, archive, _) =>
      val path = newPath()
      spark.sql(
        s"FROM $events INSERT OVERWRITE TABLE $events PARTITION (p = 0) SELECT n, v WHERE p = 1 " +
          s"INSERT INTO $archive SELECT n, v, p WHERE p = 2 " +
          s"INSERT OVERWRITE DIRECTORY '$path' USING variant_shredded SELECT n, v WHERE p = 1"
      )
      assert(all(events) === Seq(1, 1, 2, 4, 4, 5))
      assert(all(archive) === Seq(2, 5))
      assert(numbers(reader.load(path)) === Seq(1, 4))
      refused(
        s"FROM $events INSERT OVERWRITE TABLE $events PARTITION (p = 0) SELECT n, v WHERE p = 1 " +
          s"INSERT INTO $archive SELECT n, v, p WHERE p < 2"
      )
      refused(
        s"FROM $events INSERT OVERWRITE TABLE $events PARTITION (p = 0) SELECT n, v WHERE p = 1 " +
          s"INSERT OVERWRITE DIRECTORY '$path' USING variant_shredded SELECT n, v WHERE p = 0"
      )
      assert(all(events) === Seq(1, 1, 2, 4, 4, 5))
    }
  }
}
