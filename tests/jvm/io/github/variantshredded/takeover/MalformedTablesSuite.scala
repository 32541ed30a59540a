package io.github.variantshredded.takeover

import java.nio.file.Files

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.Duration

import io.github.variantshredded.errors.Causes
import io.github.variantshredded.read.file.{
  MalformedFile,
  MalformedSchemas,
  MalformedValues,
  Permissive
}
import io.github.variantshredded.read.file.ParquetFixture.Row
import io.github.variantshredded.testing.Cases
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Files that break the rules of the shredding specification, read by Spark and by this source. */
class MalformedTablesSuite extends ExistingTablesSuite("parquet") {
  import MalformedTablesSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF") // Spark logs each refused file with a stack trace.
  }

  private val extractions = Seq(
    "v",
    "v:a",
    "v:a::int",
    "try_variant_get(v, '$.a', 'string')",
    "v:a.b",
    "variant_get(v, '$[0]')",
    "variant_get(v, '$[0]', 'int')",
    "v::string",
    "try_cast(v AS int)",
    "v:a IS NULL",
    "is_variant_null(v:a)",
    "try_variant_get(v, '$.a', 'struct<b: int>')",
    "try_cast(v AS struct<a: string>)"
  )

  private val aggregates =
    Seq("count(if(v:a::string > 'b', 1, null))", "min(v:a::int)", "count(v:a::int)", "count(v)")

  private val tests = Seq("v:a::int > 0", "v:a IS NULL", "v::string = 'x'", "v IS NOT NULL")

  private type Answer = Either[String, Seq[String]]

  private def answerOrError(query: => DataFrame): Answer =
    try Right(answer(query))
    catch {
      case e: Exception =>
        val causes = Causes.of(e).toSeq
        val conditions = causes.collect {
          case known: SparkThrowable if known.getCondition != null => known.getCondition
        }
        Left(conditions.find(!_.startsWith("FAILED_READ_FILE")).getOrElse(NoCondition))
    }

  // Spark and this source are asked at the same time, in sessions of their own.
  private lazy val pushing = sparks("true")
  private lazy val rebuilding = sparks("false")

  private def sparks(pushed: String): SparkSession = {
    val session = spark.newSession()
    session.conf.set(Setting, "none")
    session.conf.set(PushDown, pushed)
    session
  }

  /** Returns the queries whose answers or errors are not those of Spark, with both. */
  private def differences(
      file: MalformedFile,
      queries: Seq[DataFrame => DataFrame]
  ): Seq[String] = {
    val path = Files.createTempDirectory(folder, "malformed").resolve("v.parquet")
    file.write(path)
    def read(session: SparkSession) = session.read.schema("v variant").parquet(path.toString)
    val (ofOurs, ofSpark) = (read(spark), read(pushing))
    val sparks = Future(queries.map(of => answerOrError(of(ofSpark))))
    val ours = queries.map { of =>
      val rows = of(ofOurs)
      assert(isTakenOver(rows))
      answerOrError(rows)
    }
    val pushed = Await.result(sparks, Duration.Inf)
    queries.indices.flatMap { i =>
      def isAllowed(theirs: Answer) =
        ours(i) == theirs || ours(i).isLeft && theirs == Left(NoCondition)
      // In such files, Spark has other answers if it pushes extractions down.
      lazy val rebuilt = answerOrError(queries(i)(read(rebuilding)))
      Option.unless(isAllowed(pushed(i)) || isAllowed(rebuilt)) {
        val query = queries(i)(read(spark)).queryExecution.analyzed
        s"$query: ${ours(i)} is neither ${pushed(i)} nor $rebuilt"
      }
    }
  }

  private def selects: Seq[DataFrame => DataFrame] =
    extractions.map(text => (rows: DataFrame) => rows.selectExpr(text))

  for ((file, number) <- MalformedSchemas.all.zipWithIndex)
    test(s"a schema that breaks the rules: ${file.rule}") {
      val queries = selects ++ aggregates.map(text => (rows: DataFrame) => rows.selectExpr(text)) ++
        tests.map(text => (rows: DataFrame) => rows.where(text).selectExpr("v:a", "v:b::int"))
      val found = differences(file, Cases.everyNth(3, number, queries))
      assert(found.isEmpty, found.mkString("\n  ", "\n  ", ""))
    }

  /**
   * Rows with a Variant of the fields `a` and `b`, at the top and in a struct. The type of `a` in the
   * files is INT96, which the specification forbids.
   */
  private def int96(from: Long, until: Long): DataFrame = {
    def variant(step: Int) = s"""named_struct('metadata', X'01020001026162', 'value',
      CAST(NULL AS BINARY), 'typed_value', if(id % 10 = 3, NULL, named_struct(
        'a', named_struct('value', CAST(NULL AS BINARY), 'typed_value',
          timestamp_seconds(id * $step)),
        'b', named_struct('value', if(id % 7 = 0, X'00', CAST(NULL AS BINARY)),
          'typed_value', if(id % 7 = 0, NULL, CAST(id * $step AS INT))))))"""
    spark
      .range(from, until, 1, 1)
      .selectExpr(
        "id",
        s"if(id % 10 = 3, named_struct('metadata', X'010000', 'value', X'0C07', 'typed_value', " +
          s"${variant(1)}.typed_value), ${variant(1)}) AS v",
        s"named_struct('k', id, 'w', ${variant(2)}) AS s"
      )
      .where("id % 10 <> 3")
  }

  test("a column whose schema breaks the rules: Spark decodes it, and no statistic is used") {
    val path = newPath()
    withConf("spark.sql.parquet.outputTimestampType" -> "INT96") {
      int96(0, 3000).write.option("parquet.block.size", "2000").parquet(path)
    }
    // The rest of the table keeps the rules.
    withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS") {
      int96(3000, 4000).write.mode("append").parquet(path)
    }
    val schema = "id bigint, v variant, s struct<k: bigint, w: variant>"
    spark.read.schema(schema).parquet(path).createOrReplaceTempView("int96")
    val queries = Seq(
      "SELECT count(*), count(v:b::int), min(v:b::int), max(v:a::timestamp) FROM int96",
      "SELECT min(s.w:b::int), max(s.k), count(s.w:a) FROM int96",
      "SELECT id FROM int96 WHERE v:b::int BETWEEN 100 AND 120",
      "SELECT id, v:b::int, s.w:b::int FROM int96 WHERE s.w:b::int = 5000 OR v:b::int = 3100",
      "SELECT id FROM int96 WHERE v:a::timestamp = timestamp_seconds(77)",
      "SELECT count(*) FROM int96 WHERE v:a IS NULL",
      "SELECT count(*) FROM int96 WHERE v:c IS NULL AND s.w:b::int > 7900",
      "SELECT id FROM int96 WHERE is_variant_null(v:b) AND id > 2900",
      "SELECT id, v, v:b::int, s FROM int96 WHERE id % 1000 = 1",
      "SELECT v:b, v::struct<a: timestamp, b: int> FROM int96 WHERE id < 30",
      "SELECT v:b::int FROM int96 ORDER BY id LIMIT 5",
      "SELECT x.id FROM int96 x JOIN int96 y ON x.v:b::int = y.s.w:b::int WHERE y.id < 50"
    )
    queries.foreach(query => withClue(query)(assert(same(spark.sql(query)).nonEmpty)))
    withConf("spark.sql.ansi.enabled" -> "false") {
      same(spark.sql("SELECT sum(v:b::int), max(s.w:a::timestamp) FROM int96 WHERE id > 100"))
    }
  }

  test("a column whose schema breaks the rules, beside a field that the file lacks") {
    val path = newPath()
    withConf("spark.sql.parquet.outputTimestampType" -> "INT96") {
      int96(0, 300).write.parquet(path)
    }
    withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS") {
      int96(300, 400)
        .selectExpr("id", "v", "named_struct('k', s.k, 'w', s.w, 'm', int(id)) AS s")
        .write
        .mode("append")
        .parquet(path)
    }
    val schema = "id bigint, v variant, s struct<k: bigint, w: variant, m: int>"
    spark.read.schema(schema).parquet(path).createOrReplaceTempView("older")
    Seq(
      "SELECT id, s.m, s.w:b::int FROM older",
      "SELECT s.m, s.w:b::int FROM older WHERE s.w:b::int > 20",
      "SELECT id FROM older WHERE s.m IS NULL OR s.w:b::int = 700",
      "SELECT id, s.m FROM older WHERE s.m IS NULL AND s.w:b::int = 20"
    ).foreach(query => withClue(query)(assert(same(spark.sql(query)).nonEmpty)))
  }

  /** Values that this source reads without an error in tables of its own, and Spark does not. */
  private val refusedBySpark: Seq[MalformedFile] = {
    import MalformedValues.{elements, field, list}
    def refused(rule: String, columns: String, values: Row*) = {
      val rows =
        values.map(v =>
          Map[String, Any]("metadata" -> MalformedFile.metadata("a"), "typed_value" -> v)
        )
      MalformedFile(rule, MalformedFile.Malformed, Permissive.Either)(
        MalformedFile.rows(columns, rows: _*)
      )
    }
    val number = Map("typed_value" -> 1L)
    Seq(
      refused("an element with two nulls, and no other", list, elements(Map())),
      refused("an element with two nulls", list, elements(Map()), elements(number, Map())),
      refused(
        "a field with a group that is null",
        field.replace("required group a", "optional group a"),
        Map("a" -> Map("typed_value" -> "1")),
        Map()
      )
    )
  }

  for (file <- refusedBySpark) test(s"values that Spark refuses: ${file.rule}") {
    val toArray = (rows: DataFrame) => rows.selectExpr("try_cast(v AS array<int>)")
    val found = differences(file, selects :+ toArray)
    assert(found.isEmpty, found.mkString("\n  ", "\n  ", ""))
  }

  /** The files for which this source may have another answer, or another error, and why. */
  private val different = Map(
    "null metadata beside a typed_value" -> MissingIsNull,
    "a Variant of nothing but nulls" -> MissingIsNull,
    "a required Variant of nothing but nulls" -> MissingIsNull,
    "a malformed value in a field of an element of a field" -> Refused
  )

  for (file <- MalformedValues.all) {
    val known = different.get(file.rule)
    test(s"values that break the rules: ${file.rule}${known.fold("")(why => s", where $why")}") {
      val found = differences(file, selects)
      assert(found.isEmpty == known.isEmpty, found.mkString("\n  ", "\n  ", ""))
    }
  }
}

private object MalformedTablesSuite {

  /** The error is none that a user should see, such as a NullPointerException. */
  final val NoCondition = "none"

  final val MissingIsNull = "this source reads a missing value as null"
  final val Refused = "this source checks a value that Spark passes on"
}
