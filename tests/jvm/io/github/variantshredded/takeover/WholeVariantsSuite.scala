package io.github.variantshredded.takeover

import java.nio.file.Files

import scala.util.{Random, Try}

import io.github.variantshredded.read.file.{Placement, VariantFile, VariantRow}
import io.github.variantshredded.testing.{Clue, RandomShredding, VariantGenerators, VariantTree}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.unsafe.types.VariantVal
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

/** Whole Variants of Parquet tables have the bytes that Spark's reader gives them. */
class WholeVariantsSuite extends ExistingTablesSuite("parquet") {
  import WholeVariantsSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF") // Spark logs each refused file with a stack trace.
  }

  private def bytes(query: DataFrame): Seq[Seq[Any]] = query.collect().toSeq.map { row: Row =>
    row.toSeq.map {
      case variant: VariantVal => (variant.getValue.toSeq, variant.getMetadata.toSeq)
      case other               => other
    }
  }

  /** Returns the Variants that this source rebuilt. */
  private def rebuilt(query: DataFrame): Long =
    query.queryExecution.executedPlan
      .collectLeaves()
      .flatMap(_.metrics.get("variantsRebuilt"))
      .map(_.value)
      .sum

  /** Compares the bytes with those of Spark. Returns how many Variants this source rebuilt. */
  private def compare(query: => DataFrame): Long = {
    val theirs = withConf(Setting -> "none")(Try(bytes(query)))
    val read = query
    assert(isTakenOver(read), read.queryExecution)
    val ours = Try(bytes(read))
    assert(ours.isSuccess == theirs.isSuccess, Clue(s"$ours, and of Spark: $theirs"))
    if (theirs.isSuccess) {
      ours.get.zip(theirs.get).zipWithIndex.foreach { case ((our, their), i) =>
        assert(our == their, Clue(s"row $i of ${read.queryExecution.analyzed}"))
      }
      assert(ours.get.size == theirs.get.size)
    }
    rebuilt(read)
  }

  private def tree(gen: Gen[VariantTree], rng: Random): VariantTree =
    gen.pureApply(Gen.Parameters.default, Seed(rng.nextLong()))

  private def randomFile(seed: Long): VariantFile = {
    val rng = new Random(seed)
    val random = new RandomShredding(rng)
    val pool = Vector.fill(5)(tree(VariantGenerators.genSparkTree(3, 5), rng))
    val rows = Vector.fill(60) {
      VariantRow(Some(Vector(rng.nextInt(8) match {
        case 0 => None
        case 1 => Some(pool(rng.nextInt(pool.size)))
        case _ => Some(random.vary(pool.head, pool))
      })))
    }
    val schema = random.schema(rows.flatMap(_.slots.get.flatten))
    new VariantFile(Placement.Top, schema, rows, rng.nextLong(), layout = Some(false))
  }

  test("files that parquet-java wrote, with random shredding schemas") {
    val counts = (1 to Count).map { seed =>
      val file = randomFile(seed.toLong)
      val path = Files.createTempDirectory(folder, "random").resolve("v.parquet")
      file.write(path)
      withClue(Clue(s"seed $seed, $file")) {
        compare(spark.read.schema("c variant, id bigint").parquet(path.toString))
      }
    }
    assert(counts.count(_ > 0) > Count / 4)
  }

  /** Writes rows that Spark shreds, and returns the path of the files. */
  private def shreddedAs(schema: String, variant: String, rows: Int, files: Int = 1): String = {
    val path = newPath()
    withConf(
      "spark.sql.variant.writeShredding.enabled" -> "true",
      "spark.sql.variant.forceShreddingSchemaForTest" -> schema
    )(spark.range(0, rows, 1, files).selectExpr("id", s"$variant AS v").write.parquet(path))
    path
  }

  private val documents = """CASE CAST(id % 6 AS INT)
    WHEN 0 THEN parse_json(concat('{"z": ', id, ', "a": {"q": [', id, ', 1.5, "x"], "b": null}}'))
    WHEN 1 THEN parse_json(concat('{"new": {"a": 1, "z": 2}, "a": {"b": ', id * 100000, '}}'))
    WHEN 2 THEN parse_json(concat('[1, ', id, ', {"a": 12.50, "z": true}]'))
    WHEN 3 THEN parse_json('{}')
    WHEN 4 THEN to_variant_object(named_struct('z', CAST(id AS BIGINT), 'd', CAST(id AS DECIMAL(20, 3)),
      't', timestamp_seconds(id), 'n', CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ),
      'y', date_from_unix_date(CAST(id AS INT)), 'w', CAST('ab' AS BINARY), 'f', CAST(id / 3 AS FLOAT), 'g', id / 3))
    ELSE to_variant_object(array(named_struct('a', id, 'z', CAST(NULL AS INT))))
  END"""

  private val parts =
    Seq("id", "v:a", "v:d", "variant_get(v, '$[0]')", "variant_get(v, '$[2].a', 'variant')")

  for (
    schema <- Seq(
      "z bigint, a struct<q: array<variant>, b: int>",
      "n timestamp_ntz, t timestamp, d decimal(9,3), z smallint, y date, w binary, f float, g double",
      "array<struct<z: boolean, a: decimal(4,2)>>",
      "`new` struct<z: int, a: int>, a struct<q: array<decimal(5,1)>>"
    )
  ) test(s"files that Spark shredded as $schema") {
    val path = shreddedAs(schema, documents, rows = 600, files = 2)
    assert(compare(spark.read.parquet(path)) == 600)
    assert(compare(spark.read.parquet(path).selectExpr(parts: _*)) > 0)
    assert(compare(spark.read.parquet(path).where("v:z::int > 50").select("v")) > 0)
  }

  test("files that this source shredded") {
    val path = newPath()
    spark
      .range(0, 1200, 1, 2)
      .where("id % 6 IN (0, 1, 4)")
      .selectExpr("id", s"$documents AS v")
      .write
      .format("variant-shredded")
      .save(path)
    assert(compare(spark.read.parquet(path)) == 600)
    assert(compare(spark.read.parquet(path).selectExpr(parts: _*)) > 0)
  }

  test("names that UTF-8 and UTF-16 order differently, and more than 255 fields") {
    val many = (0 until 300).map(i => s""""f$i": $i""").mkString(", ")
    val json =
      s"""{"\\uD83D\\uDE00": 1, "\\uFB01": 2, "a": {"\\uD83D\\uDE00": 3, "\\uFB01": "x"}, $many}"""
    val schema = "a struct<`\uFB01`: string, `\uD83D\uDE00`: int>, f7 int, `\uFB01` int"
    val path = shreddedAs(schema, s"parse_json(r'$json')", rows = 40)
    assert(compare(spark.read.parquet(path)) == 40)
  }

  test("names that are used again in other objects, which some rows lack") {
    def some(chance: Int, value: String) =
      s"IF(xxhash64(id, ${value.hashCode}) % $chance = 0, NULL, $value)"
    val inner = s"named_struct('a', ${some(2, "id")}, 'q', ${some(3, "id % 7")})"
    val rest = s"named_struct('q', ${some(2, "1")}, 'new', named_struct('b', 1, 'z', id))"
    val json = s"""to_json(named_struct(
      'a', ${some(4, "id")},
      'b', ${some(3, s"named_struct('c', ${some(2, "1")}, 'd', $inner, 'e', 'text')")},
      'c', ${some(3, inner)},
      'd', ${some(2, s"named_struct('b', ${some(2, "'x'")}, 'a', ${some(2, "2.5")})")},
      'f', ${some(2, s"array($inner, $inner)")},
      'e', ${some(3, "id")},
      'rest', ${some(3, rest)}
    ))"""
    val path = shreddedAs(
      "a int, b struct<c: int, d: struct<a: int, q: int>>, c struct<a: int>, " +
        "d struct<a: int, b: string>, e int, f array<struct<a: int, q: int>>",
      s"parse_json($json)",
      rows = 3000
    )
    assert(compare(spark.read.parquet(path)) == 3000)
    assert(compare(spark.read.parquet(path).selectExpr("v:d", "v:b", "v:f")) > 0)
  }

  test("more different names than are kept") {
    val keys = "transform(sequence(0, 49), i -> concat('k', id, '_', i))"
    val values = "transform(sequence(0, 49), i -> id + i)"
    val json = s"""to_json(named_struct(
      'a', id % 10,
      'keys', map_from_arrays($keys, $values),
      'tail', named_struct('a', id, concat('k', 1, '_', 0), id)
    ))"""
    val path =
      shreddedAs("a int, tail struct<a: int, k1_0: int>", s"parse_json($json)", rows = 3000)
    assert(compare(spark.read.parquet(path)) == 3000)
  }
}

private object WholeVariantsSuite {
  private final val Count = 60
}
