package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{functions, DataFrame, Row}
import org.apache.spark.sql.types.{IntegerType, StringType}

/**
 * Columns of partition directories that the files have too: the value of the directory holds. Spark's
 * Parquet source, on the same rows without push-down of Variants, gives the expected answers.
 */
class OverlappingPartitionSuite extends PathSuite {

  private val Setting = "spark.sql.variant.pushVariantIntoScan"

  /** Rows whose columns p and q contradict the directories `p=1/q=x` and `p=2/q=y`. */
  private def save(format: String, path: String, p: String, q: String): Unit =
    Seq("p=1/q=x" -> 0, "p=2/q=y" -> 10).foreach { case (directory, from) =>
      val renamed = directory.replace("p=", s"$p=").replace("q=", s"$q=")
      rows(from, from + 10)
        .selectExpr(
          "cast(n % 2 + 4 as int) as p",
          "n",
          "parse_json(concat('{\"a\": ', n, ', \"b\": ', n % 3, '}')) as v",
          "'z' as other"
        )
        .write
        .format(format)
        .save(s"$path/$renamed")
    }

  private val Conditions = Seq(
    "p = 1",
    "p = 5",
    "p IS NULL",
    "p = 1 OR v:a::int = 99",
    "p = 5 OR v:a::int = 3",
    "p = 1 AND v:a::int > 5",
    "p = 5 AND v:a::int > 5",
    "p = v:a::int",
    "p + v:a::int = 3",
    "p + n = 13",
    "p IN (1, 7) AND n < 4",
    "p IN (n, v:b::int)",
    "NOT (p = 2 AND v:b::int = 1)",
    "p = 1 AND q = 'x' AND n > 4",
    "q = 'y' OR n = 3",
    "concat(q, other) = 'xz' AND v:b::int = 2",
    "p * 10 + n = 10 OR q = 'x' AND p > v:b::int",
    "P = 1 OR V:a::INT = 99",
    "coalesce(p, n) = v:b::int",
    "p = (SELECT 1) AND v:a::int < 3"
  )

  private val Columns = Seq("p", "n", "q", "other", "v:a::int as a", "to_json(v) as v")

  private def sorted(df: DataFrame): Seq[String] = df.collect().map(_.toString).sorted.toSeq

  private def withoutVariantPushDown[T](body: => T): T = {
    spark.conf.set(Setting, "false")
    try body
    finally spark.conf.unset(Setting)
  }

  /** The rows that meet each condition, and the columns: Spark's source evaluates all in one query. */
  private def compare(
      ours: DataFrame,
      parquet: => DataFrame,
      conditions: Seq[String] = Conditions.take(7)
  ): Unit = {
    val all = withoutVariantPushDown(parquet.selectExpr(Columns ++ conditions: _*).collect())
    val rows = all.toSeq.map(row => Row.fromSeq(row.toSeq.take(Columns.size)).toString)
    conditions.zipWithIndex.foreach { case (condition, i) =>
      val expected = rows.zip(all).collect {
        case (columns, row) if row.get(Columns.size + i) == true => columns
      }
      assert(sorted(ours.where(condition).selectExpr(Columns: _*)) === expected.sorted, condition)
    }
    assert(ours.schema === parquet.schema)
    assert(rows.size === 20)
  }

  private def twoPaths(p: String = "p", q: String = "q"): (String, String) = {
    val (ours, parquet) = (newPath(), newPath())
    save("variant-shredded", ours, p, q)
    withoutVariantPushDown(save("parquet", parquet, p, q))
    (ours, parquet)
  }

  private def parquet = spark.read.format("parquet")

  test("conditions, columns and counts see the directory's value, as with Spark's source") {
    val (ours, theirs) = twoPaths()
    val df = reader.load(ours)
    compare(df, parquet.load(theirs), Conditions)
    assert(df.columns === Array("p", "n", "v", "other", "q"))
    assert(df.where("p = 1 OR v:a::int = 99").count() === 10)
    assert(df.count() === 20)
    assert(sorted(df.groupBy("p").count()) === Seq("[1,10]", "[2,10]"))
    assert(sorted(df.select("p", "q").distinct()) === Seq("[1,x]", "[2,y]"))
    assert(df.where("v:b::int = 1").selectExpr("sum(p)").head().getLong(0) === 3 + 2 * 4)
    assert(df.where("p = 2").select("p").limit(3).collect().toSeq === Seq.fill(3)(Row(2)))
    assert(df.where("p = 1").inputFiles.length === 2)
  }

  test("filters that are known at run time") {
    val (ours, _) = twoPaths()
    val keys = spark.sql("SELECT k, concat('n', k) AS name FROM (SELECT id AS k FROM range(9))")
    val joined = reader
      .load(ours)
      .join(keys.where("name = 'n2'").hint("broadcast"), functions.expr("p = k"))
      .where("v:a::int < 15 OR p = 4")
    assert(joined.selectExpr("n", "p").collect().toSet === (10 until 15).map(Row(_, 2)).toSet)
  }

  test("the directory writes the name in other letters") {
    val (ours, theirs) = twoPaths("P", "Q")
    compare(reader.load(ours), parquet.load(theirs))
    assert(reader.load(ours).columns === Array("P", "n", "v", "other", "Q"))
  }

  test("where case counts, a name in other letters is another column") {
    val (ours, theirs) = twoPaths("P")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try {
      def answer(df: DataFrame) =
        Seq("P = 1 OR p = 4", "P = p", "P = 2 AND p = 5 AND v:a::int > 12")
          .map(condition => sorted(df.where(condition).selectExpr("p", "P", "n")))
      assert(reader.load(ours).schema === parquet.load(theirs).schema)
      assert(reader.load(ours).columns.toSet === Set("p", "P", "n", "v", "other", "q"))
      val expected = withoutVariantPushDown(answer(parquet.load(theirs)))
      assert(answer(reader.load(ours)) === expected)
      assert(expected.map(_.size) === Seq(15, 0, 4))
    } finally spark.conf.unset("spark.sql.caseSensitive")
  }

  test("with a given schema, which gives the partition column its type") {
    val (ours, theirs) = twoPaths()
    val schema = "p int, n int, v variant, other string"
    compare(reader.schema(schema).load(ours), parquet.schema(schema).load(theirs))
    val asText = "n int, P string, v variant, other string"
    val df = reader.schema(asText).load(ours)
    assert(df.schema === parquet.schema(asText).load(theirs).schema)
    assert(df.schema("P").dataType === StringType)
    assert(df.where("P = '1' OR v:a::int = 12").count() === 11)
    assert(df.where("P = '5' OR v:a::int = 12").count() === 1)
  }

  test("the files have the column in another type than the directory, even as a Variant") {
    val path = newPath()
    writer(rows(0, 4).selectExpr("n", "v as p", "named_struct('x', v) as s")).save(s"$path/p=1/s=a")
    val df = reader.load(path)
    assert(df.schema.map(_.dataType) === Seq(IntegerType, IntegerType, StringType))
    assert(df.where("p = n OR s = 'b'").collect().toSeq === Seq(Row(1, 1, "a")))
  }

  test("tables by name and paths in SQL") {
    val (ours, theirs) = twoPaths()
    spark.sql("DROP TABLE IF EXISTS overlapping")
    try {
      spark.sql(s"CREATE TABLE overlapping USING `variant-shredded` LOCATION '$ours'")
      compare(spark.table("overlapping"), parquet.load(theirs))
      spark.sql("REFRESH TABLE overlapping")
      val error = intercept[VariantShreddedException] {
        spark.sql("ALTER TABLE overlapping ADD COLUMN more INT")
      }
      assert(error.getMessage.contains("Declare the columns in CREATE TABLE."))
    } finally {
      val _ = spark.sql("DROP TABLE overlapping")
    }
    compare(spark.sql(s"SELECT * FROM variant_shredded.`$ours`"), parquet.load(theirs))
  }

  test("statistics of the file's column leave no row out") {
    val path = newPath()
    // The file says 5 in every row, the directory 1.
    writer(spark.range(0, 2000, 1, 1).selectExpr("5 as p", "cast(id as int) as n", "5 as r"))
      .option("parquet.page.size", "1024")
      .save(s"$path/p=1")
    val df = reader.load(path)
    assert(df.where("p < 2 OR n < 0").count() === 2000)
    assert(df.where("p <= r AND n + p < 11").count() === 10)
    assert(df.where("p = 5 OR n < 0").count() === 0)
    assert(df.where("p = 5 AND n >= 0").count() === 0)
  }
}
