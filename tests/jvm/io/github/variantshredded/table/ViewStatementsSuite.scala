package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions.{col, lit}

/** Statements on views of tables: none changes rows of the table that the view does not show. */
class ViewStatementsSuite extends TableSuite {

  private def created(table: String): Unit = {
    spark.sql(
      s"CREATE TABLE $table (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p)"
    )
    rows(0, 6).select("n", "v", "p").write.insertInto(table)
  }

  // What a view shows of the table.
  private val shown: Seq[(String, String => String)] = Seq(
    "rows by a column of the files" -> (t => s"SELECT * FROM $t WHERE n > 2"),
    "rows by a partition column" -> (t => s"SELECT * FROM $t WHERE p > 1"),
    "rows by a partition column of an alias" -> (t => s"SELECT x.* FROM $t AS x WHERE x.p = 1"),
    "no rows of a partition" -> (t => s"SELECT * FROM $t WHERE p IS NULL"),
    "the first rows" -> (t => s"SELECT * FROM $t LIMIT 3"),
    "columns by other names" -> (t => s"SELECT n AS p, p AS q, v FROM $t"),
    "changed values" -> (t => s"SELECT n, v, p + 1 AS p FROM $t"),
    "fewer columns" -> (t => s"SELECT p FROM $t"),
    "an extraction" -> (t => s"SELECT v:n::int AS p FROM $t"),
    "rows once" -> (t => s"SELECT DISTINCT p FROM $t"),
    "rows twice" -> (t => s"SELECT * FROM $t UNION ALL SELECT * FROM $t"),
    "joined rows" -> (t => s"SELECT x.* FROM $t AS x JOIN range(4) ON n = id"),
    "rows of a subquery" -> (t => s"SELECT * FROM $t WHERE n IN (SELECT id FROM range(4))")
  )

  // Ways to make a view of a query.
  private val views: Seq[(String, (String, String) => Unit)] = Seq(
    "a view" -> { (view, query) =>
      val _ = spark.sql(s"CREATE VIEW $view AS $query")
    },
    "a temporary view" -> { (view, query) =>
      val _ = spark.sql(s"CREATE TEMPORARY VIEW $view AS $query")
    },
    "a view of a DataFrame" -> ((view, query) => spark.sql(query).createTempView(view)),
    "a cached view" -> { (view, query) =>
      spark.sql(s"CREATE TEMPORARY VIEW $view AS $query")
      val _ = spark.sql(s"CACHE TABLE $view")
    },
    "a view of a cached table" -> { (view, query) =>
      val words = query.split(" ")
      spark.sql(s"CACHE TABLE ${words(words.indexOf("FROM") + 1)}")
      val _ = spark.sql(s"CREATE TEMPORARY VIEW $view AS $query")
    }
  )

  views.foreach { case (way, make) =>
    test(s"DELETE of $way deletes nothing of the table below it") {
      shown.foreach { case (what, query) =>
        withTable { t =>
          created(t)
          withTable { view =>
            make(view, query(t))
            Seq("", " WHERE p = 1", " WHERE p >= 0", " WHERE true").foreach { condition =>
              val statement = s"DELETE FROM $view$condition"
              val error = intercept[VariantShreddedException](spark.sql(statement))
              assert(
                error.getMessage === "[UNSUPPORTED_FEATURE] DELETE of a view of " +
                  s"`default`.`$t` is not supported. Delete from the table.",
                s"$what: $statement"
              )
            }
            assert(numbers(spark.table(t)) === (0 until 6), what)
            spark.catalog.clearCache()
          }
          assert(numbers(spark.table(t)) === (0 until 6), what)
        }
      }
    }
  }

  private def refused(statement: => Any): Unit = {
    val error = intercept[Exception](statement)
    val _ = assert(error.isInstanceOf[SparkThrowable], error)
  }

  test("statements that Spark refuses for views change nothing") {
    withTable { t =>
      created(t)
      Seq(
        "CREATE VIEW" -> s"SELECT * FROM $t WHERE n > 2",
        "CREATE TEMPORARY VIEW" -> s"SELECT * FROM $t WHERE p = 1",
        "CREATE VIEW" -> s"SELECT * FROM $t",
        "CREATE TEMPORARY VIEW" -> s"SELECT n, v, n AS p FROM $t"
      ).foreach { case (create, query) =>
        withTable { view =>
          spark.sql(s"$create $view AS $query")
          val row = "VALUES (9, parse_json('{\"n\": 9}'), 1)"
          Seq(
            s"TRUNCATE TABLE $view",
            s"TRUNCATE TABLE $view PARTITION (p = 1)",
            s"INSERT INTO $view $row",
            s"INSERT OVERWRITE $view $row",
            s"INSERT OVERWRITE $view PARTITION (p = 1) SELECT 9, parse_json('{\"n\": 9}')",
            s"INSERT INTO $view REPLACE WHERE p = 1 $row",
            s"ALTER TABLE $view ADD COLUMN c INT",
            s"ALTER TABLE $view DROP PARTITION (p = 1)",
            s"ALTER TABLE $view ADD PARTITION (p = 7)",
            s"UPDATE $view SET n = 9",
            s"MERGE INTO $view AS x USING range(3) AS y ON x.n = y.id WHEN MATCHED THEN DELETE"
          ).foreach(statement => refused(spark.sql(statement)))
          val one = spark.sql(s"SELECT * FROM $row AS x(n, v, p)")
          refused(one.writeTo(view).append())
          refused(one.writeTo(view).overwrite(col("p") === lit(1)))
          refused(one.writeTo(view).overwritePartitions())
          refused(writer(one).insertInto(view))
          refused(writer(one).mode("overwrite").insertInto(view))
          assert(numbers(spark.table(t)) === (0 until 6), query)
        }
      }
    }
  }

  test("DELETE of a table, by an alias and of a cached one, deletes its rows") {
    withTable { t =>
      created(t)
      spark.sql(s"DELETE FROM $t AS x WHERE x.p = 1")
      assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5))
      // The cached query is that of a view, and gives the rows of the table.
      withTable { view =>
        spark.sql(s"CREATE TEMPORARY VIEW $view AS SELECT * FROM $t")
        spark.sql(s"CACHE TABLE $view")
        spark.sql(s"DELETE FROM $t AS x WHERE x.p = 2")
        assert(numbers(spark.table(t)) === Seq(0, 3))
        spark.catalog.clearCache()
      }
      spark.sql(s"CACHE TABLE $t")
      spark.sql(s"DELETE FROM $t")
      assert(numbers(spark.table(t)) === Nil)
    }
  }

  test("DELETE of a table whose files have its partition column among their columns") {
    val path = newPath()
    Seq(7, 8).foreach { p =>
      writer(rows(p, p + 1).select(col("n"), lit(p).as("p"), col("v"))).save(s"$path/p=$p")
    }
    withTable { t =>
      spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$path'")
      assert(spark.table(t).columns === Seq("n", "p", "v"))
      spark.sql(s"DELETE FROM $t AS x WHERE x.p = 8")
      assert(numbers(spark.table(t)) === Seq(7))
      spark.sql(s"DELETE FROM $t")
      assert(dataFiles(path) === Nil)
    }
  }
}
