package io.github.variantshredded.table

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.{AnalysisException, Column, SparkSession}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.{col, expr, lit}
import org.apache.spark.sql.types.{DataType, StructType}

/** Parses as another parser, and counts the statements. */
private final class CountingParser(parser: ParserInterface, parsed: AtomicInteger)
    extends ParserInterface {

  override def parsePlan(text: String): LogicalPlan = {
    parsed.incrementAndGet()
    parser.parsePlan(text)
  }

  override def parseExpression(text: String): Expression = parser.parseExpression(text)
  override def parseTableIdentifier(text: String): TableIdentifier =
    parser.parseTableIdentifier(text)
  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    parser.parseFunctionIdentifier(text)
  override def parseMultipartIdentifier(text: String): Seq[String] =
    parser.parseMultipartIdentifier(text)
  override def parseQuery(text: String): LogicalPlan = parser.parseQuery(text)
  override def parseRoutineParam(text: String): StructType = parser.parseRoutineParam(text)
  override def parseTableSchema(text: String): StructType = parser.parseTableSchema(text)
  override def parseDataType(text: String): DataType = parser.parseDataType(text)
}

/** Which partitions of a table by name an overwrite replaces. */
class OverwrittenPartitionSuite extends TableSuite {

  private def withPartitions(partitionType: String)(test: String => Unit): Unit = withTable { t =>
    spark.sql(
      s"CREATE TABLE $t (n INT, v VARIANT, p $partitionType) " +
        "USING `variant-shredded` PARTITIONED BY (p)"
    )
    test(t)
  }

  private def write(verb: String, table: String, partition: String, n: Int): Unit = {
    val _ = spark.sql(
      s"INSERT $verb $table PARTITION (p = $partition) SELECT $n, parse_json('{\"n\": $n}')"
    )
  }

  private def twoLevels(format: String, mode: String)(test: String => Unit): Unit =
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, day STRING, hour INT) USING $format " +
          s"OPTIONS (partitionOverwriteMode '$mode') PARTITIONED BY (day, hour)"
      )
      spark.sql(s"INSERT INTO $t VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1)")
      test(t)
    }

  private def state(table: String): Seq[Int] =
    spark.sql(s"SELECT n FROM $table ORDER BY n").collect().map(_.getInt(0)).toSeq

  test("the table's option dynamic, with and without values in the PARTITION clause") {
    Seq("parquet", "variant_shredded").foreach { format =>
      Seq(
        "PARTITION (day = 'x', hour) SELECT 9, 2" -> Seq(1, 3, 9),
        "PARTITION (day = 'x', hour = 2) SELECT 9" -> Seq(1, 3, 9),
        "SELECT 9, 'x', 1" -> Seq(2, 3, 9),
        "PARTITION (day, hour) SELECT 9, 'y', 1" -> Seq(1, 2, 9)
      ).foreach { case (statement, expected) =>
        twoLevels(format, "dynamic") { t =>
          spark.sql(s"INSERT OVERWRITE $t $statement")
          assert(state(t) === expected, s"$format $statement")
        }
      }
    }
    twoLevels("variant_shredded", "dynamic") { t =>
      spark.sql("SELECT 9 AS n, 'x' AS day, 7 AS hour").writeTo(t).overwrite(col("day") === "x")
      assert(state(t) === Seq(3, 9))
    }
  }

  test("the table's option dynamic: partitions outside of the condition keep their rows") {
    twoLevels("variant_shredded", "dynamic") { t =>
      def overwrite(row: String, condition: Column): Unit =
        spark.sql(s"SELECT $row").toDF("n", "day", "hour").writeTo(t).overwrite(condition)
      overwrite("8, 'y', 1", col("day") <=> "x")
      assert(state(t) === Seq(1, 2, 3, 8))
      overwrite("9, 'y', 1", col("day").isNull)
      assert(state(t) === Seq(1, 2, 3, 8, 9))
      overwrite("7, 'y', 1", col("day") <=> "y")
      assert(state(t) === Seq(1, 2, 7))
    }
  }

  test("the table's option static in a session that is dynamic") {
    twoLevels("variant_shredded", "static") { t =>
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        Seq(
          s"INSERT OVERWRITE $t SELECT 9, 'x', 1",
          s"INSERT OVERWRITE $t PARTITION (day = 'x', hour) SELECT 9, 2",
          s"INSERT OVERWRITE $t PARTITION (day = 'x', hour = 1) SELECT 9"
        ).foreach { statement =>
          val e = intercept[VariantShreddedException](spark.sql(statement))
          assert(e.getMessage.contains("the option partitionOverwriteMode is 'static'"))
        }
        assert(state(t) === Seq(1, 2, 3))
      }
      spark.sql(s"INSERT OVERWRITE $t SELECT 4, 'x', 1")
      assert(state(t) === Seq(4))
    }
  }

  test("INSERT OVERWRITE ... PARTITION replaces the partition, whatever the type of its column") {
    val day = "DATE '2024-02-29'"
    Seq(
      ("BINARY", Seq("X'41'", "X'4142'", "X'FF'")),
      ("DOUBLE", Seq("'NaN'", "1.5", "'Infinity'", "NULL")),
      ("FLOAT", Seq("'NaN'", "0.1", "'-Infinity'")),
      ("DECIMAL(10, 2)", Seq("1.50", "2")),
      ("STRING", Seq("'a/b=c d%'", "'A'", "'a'", "NULL", "'__x'", "' '")),
      ("TIMESTAMP", Seq("TIMESTAMP '2024-02-29 12:00:00.5'", "TIMESTAMP '2024-02-29 12:00:00'")),
      ("DATE", Seq(day, "DATE '0001-01-01'")),
      ("TIMESTAMP_NTZ", Seq("TIMESTAMP_NTZ '2024-02-29 12:00:00.5'", "NULL")),
      ("VARCHAR(5)", Seq("'a'", "'b c'")),
      ("CHAR(3)", Seq("'a'", "'abc'")),
      ("BOOLEAN", Seq("true", "false")),
      ("BIGINT", Seq("1", "-9223372036854775808"))
    ).foreach { case (partitionType, values) =>
      withPartitions(partitionType) { t =>
        values.zipWithIndex.foreach { case (value, i) => write("INTO", t, value, i) }
        assert(numbers(spark.table(t)) === values.indices, partitionType)
        values.zipWithIndex.foreach { case (value, i) =>
          write("OVERWRITE", t, value, 100 + i)
          val expected = values.indices.map(j => if (j <= i) 100 + j else j).sorted
          assert(numbers(spark.table(t)) === expected, s"$partitionType $value")
        }
      }
    }
  }

  test("a clause PARTITION without some columns replaces a VARCHAR or CHAR with excess spaces") {
    for {
      partitionType <- Seq("VARCHAR(2)", "CHAR(2)")
      mode <- Seq("static", "dynamic")
    } withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p $partitionType, q INT) USING variant_shredded " +
          s"OPTIONS (partitionOverwriteMode '$mode') PARTITIONED BY (p, q)"
      )
      def row(n: Int) = s"$n, parse_json('{\"n\": $n}')"
      spark.sql(s"INSERT INTO $t VALUES (${row(1)}, 'DE', 1), (${row(2)}, 'DE', 2)")
      spark.sql(s"INSERT OVERWRITE $t PARTITION (p = 'DE   ', q) SELECT ${row(9)}, 1")
      val kept = if (mode == "dynamic") Seq(2) else Nil
      assert(numbers(spark.table(t)) === kept :+ 9, s"$partitionType $mode")
    }
  }

  test("a text that does not fit a VARCHAR column selects no partition") {
    withPartitions("VARCHAR(2)") { t =>
      write("INTO", t, "'DE'", 1)
      val row = spark.sql("SELECT 2 AS n, parse_json('{\"n\": 2}') AS v, 'FR' AS p")
      Seq[Column](col("p") <=> "DEF", col("p") === "DE ").foreach { condition =>
        row.where("false").writeTo(t).overwrite(condition)
        assert(numbers(spark.table(t)) === Seq(1))
      }
      row.writeTo(t).overwrite(col("p") <=> "DE  ")
      assert(numbers(spark.table(t)) === Seq(2))
    }
  }

  Seq("true", "false").foreach { padded =>
    test(s"REPLACE WHERE and overwrite by a CHAR column, padded: $padded") {
      withConf("spark.sql.readSideCharPadding" -> padded) {
        for {
          condition <- Seq("p = 'ab'", "p = 'ab    '", "p <=> 'ab'", "p IN ('ab')")
          name <- Seq("ab ", "ab")
        } withPartitions("CHAR(3)") { t =>
          Seq("'ab'", "'abc'", "NULL").zipWithIndex.foreach { case (value, n) =>
            write("INTO", t, value, n)
          }
          val directory = this.directory(t)
          Files.move(directory.resolve("p=ab "), directory.resolve(s"p=$name"))
          assert(numbers(spark.table(t).where(condition)) === Seq(0), condition)
          val row = "SELECT 9 AS n, parse_json('{\"n\": 9}') AS v, 'ab' AS p"
          spark.sql(s"INSERT INTO $t REPLACE WHERE $condition $row")
          assert(numbers(spark.table(t)) === Seq(1, 2, 9), condition)
          spark.sql(row).writeTo(t).overwrite(expr("p = 'abc'"))
          assert(numbers(spark.table(t)) === Seq(2, 9, 9), condition)
          spark.sql(row).writeTo(t).overwrite(expr(condition))
          assert(numbers(spark.table(t)) === Seq(2, 9), condition)
        }
      }
    }
  }

  test("a partition of CHAR without padding is not selected if comparisons do not pad it") {
    withConf(
      "spark.sql.readSideCharPadding" -> "false",
      "spark.sql.legacy.noCharPaddingInPredicate" -> "true"
    ) {
      Seq("ab " -> Seq(2), "ab" -> Seq(1, 2)).foreach { case (name, expected) =>
        withPartitions("CHAR(3)") { t =>
          write("INTO", t, "'ab'", 1)
          Files.move(directory(t).resolve("p=ab "), directory(t).resolve(s"p=$name"))
          assert(numbers(spark.table(t).where("NOT p = 'ab'")) === expected.dropRight(1))
          val row = "SELECT 2 AS n, parse_json('{\"n\": 2}') AS v, 'ab' AS p"
          spark.sql(row).writeTo(t).overwrite(expr("p = 'ab'"))
          assert(numbers(spark.table(t)) === expected)
        }
      }
    }
  }

  test("a comparison with a part of a CHAR column is refused") {
    withPartitions("CHAR(3)") { t =>
      write("INTO", t, "'abc'", 1)
      val row = "SELECT 2, parse_json('{\"n\": 2}'), 'abc'"
      Seq("rpad(p, 2, ' ') = 'ab'", "rpad(p, 3, 'x') = 'abc'", "rpad(p, 5, ' ') = 'abc'").foreach {
        condition =>
          val error = intercept[VariantShreddedException](
            spark.sql(s"INSERT INTO $t REPLACE WHERE $condition $row")
          )
          assert(error.getMessage.contains("Overwriting where (RPAD(p, "), error)
      }
      assert(numbers(spark.table(t)) === Seq(1))
    }
  }

  test("REPLACE WHERE and overwrite by a BOOLEAN column") {
    Seq(
      "p = false" -> Seq(1, 2, 9),
      "NOT p" -> Seq(1, 2, 9),
      "p <=> false" -> Seq(1, 2, 9),
      "p" -> Seq(0, 2, 9),
      "p = true" -> Seq(0, 2, 9),
      "p != false" -> Seq(0, 2, 9),
      "p IS NULL" -> Seq(0, 1, 9)
    ).foreach { case (condition, expected) =>
      Seq[(String, String) => Any](
        (t, row) => spark.sql(s"INSERT INTO $t REPLACE WHERE $condition $row"),
        (t, row) => spark.sql(row).writeTo(t).overwrite(expr(condition))
      ).foreach { overwrite =>
        withPartitions("BOOLEAN") { t =>
          Seq("false", "true", "NULL").zipWithIndex.foreach { case (value, n) =>
            write("INTO", t, value, n)
          }
          overwrite(t, "SELECT 9 AS n, parse_json('{\"n\": 9}') AS v, CAST(NULL AS BOOLEAN) AS p")
          assert(numbers(spark.table(t)) === expected, condition)
        }
      }
    }
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, flag BOOLEAN, day STRING) USING variant_shredded " +
          "PARTITIONED BY (flag, day)"
      )
      spark.sql(s"INSERT INTO $t VALUES (1, false, 'x'), (2, false, 'y'), (3, true, 'x')")
      spark.sql(s"INSERT INTO $t REPLACE WHERE flag = false AND day = 'x' SELECT 9, false, 'x'")
      assert(state(t) === Seq(2, 3, 9))
      val error = intercept[VariantShreddedException](
        spark.sql(s"INSERT INTO $t REPLACE WHERE NOT (flag <=> true) SELECT 8, false, 'x'")
      )
      assert(error.getMessage.contains("Overwriting where NOT"), error)
      assert(state(t) === Seq(2, 3, 9))
    }
  }

  test("PARTITION with an empty value is refused as for Spark's file sources") {
    Seq("STRING" -> "''", "STRING" -> "\"\"", "BINARY" -> "X''").foreach {
      case (partitionType, value) =>
        withPartitions(partitionType) { t =>
          write("INTO", t, "NULL", 1)
          Seq("static", "dynamic").foreach { mode =>
            withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
              Seq("INTO", "OVERWRITE").foreach { verb =>
                val error = intercept[AnalysisException](write(verb, t, value, 2))
                val text = "([p=]) contains an empty partition column value"
                assert(error.getMessage.contains(text), error.getMessage)
              }
            }
          }
          assert(numbers(spark.table(t)) === Seq(1))
        }
    }
    // A query may give an empty value, which becomes null, as in Spark's file sources.
    withPartitions("STRING") { t =>
      spark.sql(s"INSERT INTO $t SELECT 1, parse_json('{\"n\": 1}'), ''")
      assert(numbers(spark.table(t).where("p is null")) === Seq(1))
    }
  }

  test("PARTITION with an empty value is refused behind WITH, with other INSERTs and in scripts") {
    withPartitions("STRING") { t =>
      write("INTO", t, "NULL", 1)
      def rows(from: String) = s"SELECT n, parse_json('{\"n\": 2}') $from"
      for {
        mode <- Seq("static", "dynamic")
        verb <- Seq("INTO", "OVERWRITE TABLE")
        insert = s"INSERT $verb $t PARTITION (p = '') "
        statement <- Seq(
          s"WITH one AS (SELECT 2 AS n) $insert ${rows("FROM one")}",
          s"FROM (SELECT 2 AS n) INSERT INTO $t PARTITION (p = 'x') ${rows("")} $insert ${rows("")}",
          s"BEGIN IF 1 = 1 THEN $insert ${rows("FROM (SELECT 2 AS n)")}; END IF; END"
        )
      } withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
        val error = intercept[Exception](spark.sql(statement))
        val text = "([p=]) contains an empty partition column value"
        // In a script, Spark cannot handle its own error, which has no SQLSTATE.
        if (!statement.startsWith("BEGIN"))
          assert(error.getMessage.contains(text), s"$statement: ${error.getMessage}")
        assert(numbers(spark.table(t)) === Seq(1), statement)
      }
      val insert = s"INSERT INTO $t PARTITION (p = 'x') ${rows("FROM (SELECT 2 AS n)")}"
      spark.sql(s"BEGIN IF 1 = 1 THEN $insert; END IF; END")
      assert(numbers(spark.table(t)) === Seq(1, 2))
    }
  }

  test("PARTITION with an empty value is refused if a parameter or a variable gives it") {
    withPartitions("STRING") { t =>
      write("INTO", t, "NULL", 1)
      val rows = "SELECT n, parse_json('{\"n\": 2}') FROM (SELECT 2 AS n)"
      def immediate(statement: String, values: String) = {
        val text = statement.replace("\"", "\\\"")
        spark.sql("EXECUTE IMMEDIATE \"" + text + "\" USING " + values)
      }
      for {
        mode <- Seq("static", "dynamic")
        verb <- Seq("INTO", "OVERWRITE TABLE")
        insert = s"INSERT $verb $t PARTITION"
        run <- Seq[() => Any](
          () => spark.sql(s"$insert (p = :d) $rows", Map("d" -> "")),
          () => spark.sql(s"$insert (p = ?) $rows", Array("")),
          () =>
            spark.sql(
              s"WITH one AS (SELECT :number AS n) $insert (p = '') " +
                "SELECT n, parse_json('{\"n\": 2}') FROM one",
              Map("number" -> 2)
            ),
          () => immediate(s"$insert (p = ?) $rows", "''"),
          () => immediate(s"$insert (p = :d) $rows", "'' AS d"),
          () => spark.sql(s"$insert (p = '$${tests.day}') $rows"),
          () => spark.sql(s"$insert ($${tests.clause}) $rows"),
          () => spark.sql(s"$${tests.nothing} $insert ($${tests.clause}) $rows"),
          () => spark.sql(s"$${tests.nothing} $insert (p = :d) $rows", Map("d" -> ""))
        )
      } withConf(
        "spark.sql.sources.partitionOverwriteMode" -> mode,
        "tests.day" -> "",
        "tests.clause" -> "p = ''",
        "tests.nothing" -> " "
      ) {
        val error = intercept[AnalysisException](run())
        val text = "([p=]) contains an empty partition column value"
        assert(error.getMessage.contains(text), error.getMessage)
        assert(numbers(spark.table(t)) === Seq(1))
      }
      spark.sql(s"INSERT INTO $t PARTITION (p = :d) $rows", Map("d" -> "x"))
      spark.sql(
        s"INSERT INTO $t SELECT n, parse_json('{\"n\": 3}'), :d FROM (SELECT 3 AS n)",
        Map("d" -> "")
      )
      assert(numbers(spark.table(t).where("p is null")) === Seq(1, 3))
      assert(numbers(spark.table(t).where("p = 'x'")) === Seq(2))
    }
  }

  test("a statement is parsed once if it has no PARTITION clause, whatever texts it has") {
    val parsed = new AtomicInteger
    val without = spark
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try {
      val session = SparkSession
        .builder()
        .withExtensions(_.injectParser((_, parser) => new CountingParser(parser, parsed)))
        .getOrCreate()
      def parses(statement: String): Int = {
        val before = parsed.get
        session.sql(statement)
        parsed.get - before
      }
      // The session has a catalog of its own.
      session.sql(
        "CREATE TABLE parsed (n INT, v VARIANT, p STRING) USING variant_shredded PARTITIONED BY (p)"
      )
      val row = "SELECT 1, parse_json('1'), replace('x', 'y', '')"
      assert(parses(s"INSERT INTO parsed $row") === 1)
      assert(parses(s"INSERT OVERWRITE parsed $row") === 1)
      assert(parses("insert into parsed partition (p = 'x') SELECT 1, parse_json('1')") === 1)
      assert(parses(s"insert into parsed partition (p) $row") === 2)
      session.sql("DROP TABLE parsed")
    } finally {
      SparkSession.setDefaultSession(without)
      SparkSession.setActiveSession(without)
    }
  }

  test("PARTITION with a value of another type replaces nothing, even if there are no rows") {
    withTable { source =>
      spark.sql(s"CREATE TABLE $source (n INT, v VARIANT) USING variant_shredded")
      Seq("INT" -> "'bad'", "DATE" -> "'2024-13-01'", "INT" -> "'9999999999'").foreach {
        case (partitionType, value) =>
          withPartitions(partitionType) { t =>
            write("INTO", t, "NULL", 1)
            for {
              ansi <- Seq("true", "false")
              mode <- Seq("static", "dynamic")
              rows <- Seq(
                "SELECT n, cast(NULL AS VARIANT) FROM VALUES (1) AS one(n) WHERE false",
                "SELECT 2, parse_json('2') WHERE false",
                "SELECT 2, parse_json('2')",
                s"SELECT n, v FROM $source"
              )
            } withConf(
              "spark.sql.ansi.enabled" -> ansi,
              "spark.sql.sources.partitionOverwriteMode" -> mode
            ) {
              def overwrite(): Unit =
                spark.sql(s"INSERT OVERWRITE $t PARTITION (p = $value) $rows"): Unit
              // Nothing is replaced in the mode dynamic if there are no rows.
              if (mode == "dynamic" && rows != "SELECT 2, parse_json('2')")
                scala.util.Try(overwrite())
              else {
                val error = intercept[Exception](overwrite())
                assert(error.toString.contains("CAST_INVALID_INPUT"), error)
              }
              assert(numbers(spark.table(t)) === Seq(1))
            }
          }
      }
    }
    withPartitions("INT") { t =>
      write("INTO", t, "NULL", 1)
      write("INTO", t, "7", 2)
      withConf("spark.sql.ansi.enabled" -> "false") {
        write("OVERWRITE", t, "'7'", 3)
        spark.sql(
          s"INSERT OVERWRITE $t PARTITION (p = NULL) " +
            "SELECT n, cast(NULL AS VARIANT) FROM VALUES (1) AS one(n) WHERE false"
        )
      }
      assert(numbers(spark.table(t)) === Seq(3))
    }
  }

  test("writeTo(...).overwrite(true) replaces everything under partitionOverwriteMode=dynamic") {
    withPartitions("INT") { t =>
      writer(rows(0, 6).select("n", "v", "p")).mode("append").insertInto(t)
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        rows(7, 8).select("n", "v", "p").writeTo(t).overwrite(lit(true))
        assert(numbers(spark.table(t)) === Seq(7))
        val path = written(rows(0, 6), "p")
        rows(7, 8).select("n", "v", "p").writeTo(s"variant_shredded.`$path`").overwrite(lit(true))
        assert(numbers(reader.load(path)) === Seq(7))
        // What leaves the choice is dynamic, as before.
        writer(rows(8, 9).select("n", "v", "p")).mode("overwrite").insertInto(t)
        assert(numbers(spark.table(t)) === Seq(7, 8))
      }
    }
  }

  test("a dynamic overwrite replaces partitions whose values are written in other ways") {
    withTable { t =>
      val path = newPath()
      writer(spark.sql("SELECT 1 AS n, parse_json('{\"n\": 1}') AS v, 1 AS Day"))
        .partitionBy("Day")
        .save(path)
      writer(spark.sql("SELECT 2 AS n, parse_json('{\"n\": 2}') AS v, '01' AS Day"))
        .partitionBy("Day")
        .mode("append")
        .save(path)
      writer(spark.sql("SELECT 3 AS n, parse_json('{\"n\": 3}') AS v, 2 AS Day"))
        .partitionBy("Day")
        .mode("append")
        .save(path)
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, day INT) USING variant_shredded " +
          s"PARTITIONED BY (day) LOCATION '$path'"
      )
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        spark.sql(s"INSERT OVERWRITE $t SELECT 4, parse_json('{\"n\": 4}'), 1")
      }
      assert(numbers(spark.table(t)) === Seq(3, 4))
    }
  }

  test("a dynamic overwrite of a path replaces the directories of its rows only") {
    val path = newPath()
    def save(sql: String, mode: String): Unit =
      writer(spark.sql(sql))
        .partitionBy("day")
        .option("partitionOverwriteMode", "dynamic")
        .mode(mode)
        .save(path)
    save("SELECT 1 AS n, parse_json('{\"n\": 1}') AS v, '01' AS day", "append")
    save("SELECT 2 AS n, parse_json('{\"n\": 2}') AS v, 'x' AS day", "append")
    // By the type of these rows, 01 would be 1. The directories say that days are texts.
    save("SELECT 3 AS n, parse_json('{\"n\": 3}') AS v, 1 AS day", "overwrite")
    assert(numbers(reader.load(path)) === Seq(1, 2, 3))
  }
}
