package io.github.variantshredded.table

import java.nio.file.Files

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

  private val decimalNames = Seq("1.5", "1.50", "2")
  private val rescaled = Seq("0|1.50", "1|1.50", "2|2.00")

  /** A directory of three partitions, written as strings. */
  private def ofDecimals(more: String*): String = {
    val names = decimalNames.zipWithIndex.map { case (name, n) =>
      s"($n, parse_json('{\"n\": $n}'), '$name')"
    }
    val df = spark.sql(s"SELECT *, 'x' AS q FROM VALUES ${names.mkString(", ")} AS t(n, v, p)")
    written((if (more.isEmpty) df.drop("q") else df), (more :+ "p"): _*)
  }

  for {
    decimal <- Seq("DECIMAL(10,2)", "DECIMAL(20,2)")
    more <- Seq(Nil, Seq("q"))
  } test(s"directories with other scales than that of their column, $decimal, after $more") {
    withTable { t =>
      val path = ofDecimals(more: _*)
      val columns = more.map(name => s"$name STRING, ").mkString
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, ${columns}p $decimal) USING variant_shredded " +
          s"PARTITIONED BY (${(more :+ "p").mkString(", ")}) LOCATION '$path'"
      )
      def found(query: String) = spark.sql(query).collect().map(_.mkString("|")).toSeq.sorted
      assert(found(s"SELECT n, p FROM (SELECT * FROM $t)") === rescaled)
      assert(found(s"SELECT p FROM $t") === Seq("1.50", "1.50", "2.00"))
      assert(found(s"SELECT p, count(*) FROM $t GROUP BY p") === Seq("1.50|2", "2.00|1"))
      assert(found(s"SELECT min(p), max(p) FROM $t") === Seq("1.50|2.00"))
      assert(found(s"SELECT n FROM $t WHERE p = 1.5") === Seq("0", "1"))
      val read = reader.schema(spark.table(t).schema).load(path)
      assert(read.select("n", "p").collect().map(_.mkString("|")).toSeq.sorted === rescaled)
      spark.sql(s"DELETE FROM $t WHERE p = 1.5")
      assert(found(s"SELECT n, p FROM $t") === rescaled.drop(2))
    }
  }

  test("directories of a stream with other scales than that of their column") {
    val (source, path) = (ofDecimals(), newPath())
    withConf("spark.sql.sources.partitionColumnTypeInference.enabled" -> "false") {
      val stream = spark.readStream
        .format("variant-shredded")
        .schema(reader.load(source).schema)
        .load(source)
      writeStream(stream, path, newPath(), Seq("p"))
    }
    val read = reader.schema("n INT, v VARIANT, p DECIMAL(10,2)").load(path)
    assert(read.select("n", "p").collect().map(_.mkString("|")).toSeq.sorted === rescaled)
  }

  test("a directory whose value has more digits than its column is an error, or NULL") {
    val path = ofDecimals()
    def read = reader.schema("n INT, v VARIANT, p DECIMAL(2,2)").load(path).select("p").collect()
    val error = intercept[VariantShreddedException](read)
    // Which of the directories is met first depends on the random name of the path.
    assert(error.getMessage.matches("(?s).*/p=[12](\\.50?)?'.*"), error)
    assert(error.getMessage.contains("does not fit DECIMAL(2,2)"), error)
    withConf("spark.sql.sources.validatePartitionColumns" -> "false") {
      assert(read.forall(_.isNullAt(0)))
    }
  }

  /** A table with a CHAR column over directories that were written as strings, without padding. */
  private def ofChars(table: String): String = {
    val path = written(
      spark.sql(
        "SELECT * FROM VALUES (0, parse_json('{\"n\": 0}'), 'ab'), " +
          "(1, parse_json('{\"n\": 1}'), 'cd') AS t(n, v, p)"
      ),
      "p"
    )
    spark.sql(
      s"CREATE TABLE $table (n INT, v VARIANT, p CHAR(5)) USING variant_shredded " +
        s"PARTITIONED BY (p) LOCATION '$path'"
    )
    path
  }

  Seq("true", "false").foreach { padded =>
    test(s"DELETE deletes the rows that SELECT selects, by a CHAR column, padded: $padded") {
      withConf("spark.sql.readSideCharPadding" -> padded) {
        Seq("p <> 'ab'", "p = 'ab'", "p = 'ab   '", "p IN ('cd', 'x')", "length(p) = 5").foreach {
          predicate =>
            withTable { t =>
              val _ = ofChars(t)
              val kept = numbers(spark.table(t).where(s"NOT ($predicate)"))
              spark.sql(s"DELETE FROM $t WHERE $predicate")
              assert(numbers(spark.table(t)) === kept, predicate)
            }
        }
      }
    }
  }

  test("statements find a partition by a CHAR column whose directory is not padded") {
    val row = "SELECT 9, parse_json('{\"n\": 9}')"
    withTable { t =>
      val path = ofChars(t)
      spark.sql(s"INSERT OVERWRITE $t PARTITION (p = 'ab') $row")
      assert(numbers(spark.table(t)) === Seq(1, 9))
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        spark.sql(s"INSERT OVERWRITE $t $row, 'cd'")
      }
      assert(numbers(spark.table(t)) === Seq(9, 9))
      assert(partitions(path) === Seq("p=ab   ", "p=cd   "))
    }
    withTable { t =>
      val path = ofChars(t)
      spark.sql(s"ALTER TABLE $t PARTITION (p = 'cd') RENAME TO PARTITION (p = 'ef')")
      assert(numbers(spark.table(t).where("p = 'ef'")) === Seq(1))
      assert(partitions(path) === Seq("p=ab", "p=ef   "))
    }
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p CHAR(5)) USING variant_shredded PARTITIONED BY (p)"
      )
      val names = Seq("ab", "cd").zipWithIndex
      names.foreach { case (name, n) =>
        spark.sql(s"INSERT INTO $t VALUES ($n, parse_json('{\"n\": $n}'), '$name')")
        Files.move(directory(t).resolve(s"p=$name   "), directory(t).resolve(s"p=$name"))
      }
      spark.sql(s"ALTER TABLE $t DROP PARTITION (p = 'ab')")
      assert(numbers(spark.table(t)) === Seq(1))
      spark.sql(s"TRUNCATE TABLE $t PARTITION (p = 'cd')")
      assert(spark.table(t).count() === 0)
    }
  }

  test(
    "a CHAR column as a string, by the session's setting, is compared as its directory is named"
  ) {
    withConf("spark.sql.legacy.charVarcharAsString" -> "true") {
      withTable { t =>
        val path = ofChars(t)
        spark.sql(s"DELETE FROM $t WHERE p <> 'ab'")
        assert(partitions(path) === Seq("p=ab"))
        spark.sql(s"INSERT OVERWRITE $t PARTITION (p = 'ab') SELECT 9, parse_json('{\"n\": 9}')")
        assert(numbers(reader.load(path)) === Seq(9))
      }
    }
  }
}
