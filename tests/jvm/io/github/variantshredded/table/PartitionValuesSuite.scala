package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.DataFrame

/** The values of partition columns, which are in the names of directories. */
class PartitionValuesSuite extends TableSuite {

  private def create(table: String, partitionType: String): Unit = {
    val _ = spark.sql(
      s"CREATE TABLE $table (n INT, v VARIANT, p $partitionType) " +
        "USING `variant-shredded` PARTITIONED BY (p)"
    )
  }

  test("binary values are read as they were written, and written again as they are") {
    val texts = Seq("a/b", "50%", "a=b", "a%2Fb", "plain")
    withTable { t =>
      create(t, "BINARY")
      texts.zipWithIndex.foreach { case (text, n) =>
        spark.sql(s"INSERT INTO $t VALUES ($n, parse_json('$n'), CAST('$text' AS BINARY))")
      }
      def found = spark.table(t).selectExpr("CAST(p AS STRING)").collect().map(_.getString(0)).toSet
      assert(found === texts.toSet)
      spark.sql(s"INSERT INTO $t SELECT * FROM $t")
      assert(found === texts.toSet)
      texts.zipWithIndex.foreach { case (text, n) =>
        val rows = spark.sql(s"SELECT n FROM $t WHERE p = CAST('$text' AS BINARY)")
        assert(rows.collect().map(_.getInt(0)).toSeq === Seq(n, n))
      }
    }
  }

  test("a VARCHAR partition column is inserted into a table with the same type") {
    withTable { t =>
      withTable { copy =>
        create(t, "VARCHAR(3)")
        spark.sql(s"CREATE TABLE $copy (n INT, p VARCHAR(3)) USING `variant-shredded`")
        spark.sql(s"INSERT INTO $t VALUES (1, parse_json('1'), 'a'), (2, NULL, 'b')")
        def numbers(of: DataFrame) = of.select("n").collect().map(_.getInt(0)).toSeq.sorted
        spark.sql(s"INSERT INTO $t SELECT n, v, p FROM $t")
        spark.sql(s"INSERT INTO $copy SELECT n, p FROM $t")
        assert(numbers(spark.table(t)) === Seq(1, 1, 2, 2))
        assert(numbers(spark.table(copy)) === Seq(1, 1, 2, 2))
        spark.sql(s"INSERT OVERWRITE $t PARTITION (p) SELECT n + 10, v, p FROM $t WHERE p = 'a'")
        assert(numbers(spark.table(t).where("p = 'a'")) === Seq(11, 11))
      }
    }
  }

  test("a write in another time zone than that of the table is refused, and changes nothing") {
    withConf("spark.sql.session.timeZone" -> "UTC") {
      def rows(n: Int) =
        spark.sql(s"SELECT $n AS n, parse_json('$n') AS v, timestamp'2024-01-01 10:00:00' AS ts")
      def refused(table: String)(write: => Any): Unit = {
        val error = intercept[VariantShreddedException](write)
        assert(error.getCondition === "INVALID_VARIANT_SHREDDED_OPTION")
        assert(error.getMessage.contains(s"'timeZone' is 'Asia/Tokyo', expected 'UTC', in which"))
        assert(error.getMessage.contains(table))
      }
      def tokyo(n: Int, mode: String) =
        writer(rows(n)).mode(mode).option("timeZone", "Asia/Tokyo")
      withTable { t =>
        refused(t)(tokyo(1, "errorifexists").partitionBy("ts").saveAsTable(t))
        assert(traces(t) === Set.empty)
        writer(rows(1)).option("timeZone", "Etc/UTC").partitionBy("ts").saveAsTable(t)
        def found = spark.table(t).selectExpr("n", "string(ts)").collect().map(_.toString).toSet
        val one = "[1,2024-01-01 10:00:00]"
        refused(t)(tokyo(2, "append").saveAsTable(t))
        refused(t)(tokyo(2, "overwrite").partitionBy("ts").saveAsTable(t))
        refused(t)(rows(2).writeTo(t).option("TIMEZONE", "Asia/Tokyo").append())
        refused(t)(rows(2).writeTo(t).option("timeZone", "Asia/Tokyo").overwritePartitions())
        assert(found === Set(one))
        writer(rows(2)).mode("append").option("timeZone", "UTC").saveAsTable(t)
        assert(found === Set(one, one.replace("1,", "2,")))
      }
      // The time zone does not matter without timestamps.
      withTable { t =>
        tokyo(1, "append").partitionBy("n").saveAsTable(t)
        assert(spark.table(t).select("ts").collect().length === 1)
      }
      withTable { t =>
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT, ts TIMESTAMP) USING variant_shredded " +
            "PARTITIONED BY (ts) OPTIONS (timeZone 'Asia/Tokyo')"
        )
        tokyo(1, "append").saveAsTable(t)
        assert(dataFiles(directory(t).toString).head.startsWith("ts=2024-01-01 19%3A00%3A00"))
        assert(spark.table(t).where("ts = timestamp'2024-01-01 10:00:00'").count() === 1)
      }
    }
  }
}
