package io.github.variantshredded.write

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.DataFrame

/** Partition values that are different, and whose directories have the same name. */
class PartitionNamesSuite extends PathSuite {

  private def partitioned(values: String*): DataFrame = {
    val rows = values.zipWithIndex.map { case (value, i) =>
      s"SELECT $value AS p, $i AS n, parse_json('{\"n\": $i}') AS v"
    }
    spark.sql(rows.mkString(" UNION ALL ")).coalesce(1)
  }

  private def refused(df: DataFrame, options: (String, String)*): String = {
    val failed = intercept[Exception] {
      writer(df).options(options.toMap).partitionBy("p").save(newPath())
    }
    Causes
      .of(failed)
      .collectFirst { case e: VariantShreddedException =>
        assert(e.condition === "UNSUPPORTED_FEATURE")
        e.getMessage
      }
      .getOrElse(throw failed)
  }

  test("empty bytes and nulls are files of one directory") {
    val path = written(partitioned("X''", "X'61'", "CAST(NULL AS BINARY)"), "p")
    val read = reader.schema("n INT, v VARIANT, p BINARY").load(path)
    assert(numbers(read) === Seq(0, 1, 2))
    assert(numbers(read.where("p IS NULL")) === Seq(0, 2))
  }

  test("a local time that occurs twice is refused, and written with the option timeZone") {
    val hours = Seq("2026-10-24T23:00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z")
    val df = partitioned(hours.map(hour => s"TIMESTAMP'$hour'"): _*)
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      val message = refused(df)
      assert(message.contains("The time 2026-10-25 01:00:00 (UTC) in the partition column 'p'"))
      assert(message.contains("'p=2026-10-25 02%3A00%3A00'"))
      assert(message.contains("Europe/Berlin"))
      val path = newPath()
      writer(df).option("timeZone", "UTC").partitionBy("p").save(path)
      val read = reader.option("timeZone", "UTC").load(path)
      assert(
        read.selectExpr("n", s"p = TIMESTAMP'${hours(2)}'").where("n = 2").head().getBoolean(1)
      )
    }
  }

  test("times before the local time was a whole number of minutes") {
    withConf("spark.sql.session.timeZone" -> "America/Los_Angeles") {
      val path =
        written(partitioned("TIMESTAMP'1883-11-18 12:00:00'", "TIMESTAMP'0001-01-01'"), "p")
      val read = reader.schema("n INT, v VARIANT, p TIMESTAMP").load(path)
      assert(numbers(read.where("p = TIMESTAMP'0001-01-01'")) === Seq(1))
    }
  }

  test("values that are no UTF-8, and the name of nulls, are refused") {
    Seq("X'FE'", "CAST(X'FF' AS STRING)", "'__HIVE_DEFAULT_PARTITION__'").foreach { value =>
      assert(refused(partitioned(value)).contains("A value of the partition column 'p'"), value)
    }
  }
}
