package io.github.variantshredded.read.file

import java.nio.file.Files

import scala.util.Random

import io.github.variantshredded.testing.{
  RandomShredding,
  SparkSuite,
  TemporaryFolder,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.VariantVal
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

/** Variants in files that Spark wrote: our reader's answers are those of Spark's. */
class SparkVariantsSuite extends SparkSuite with TemporaryFolder {

  private def variant(tree: VariantTree): VariantVal = {
    val (metadata, value) = VariantTree.encode(tree)
    new VariantVal(value, metadata)
  }

  private val columns = StructType.fromDDL(
    "v variant, s struct<v: variant, n: int>, id bigint, a array<variant>, m map<string, variant>"
  )

  private def rows(seed: Long, count: Int): Vector[Row] = {
    val rng = new Random(seed)
    val random = new RandomShredding(rng)
    def trees(gen: Gen[VariantTree]): VariantTree =
      gen.pureApply(Gen.Parameters.default, Seed(rng.nextLong()))
    val base = trees(VariantGenerators.genSparkTree(3, 5))
    val pool = Vector.fill(6)(trees(VariantGenerators.genSparkTree(2, 4))) :+ event(rng)
    def slot(): VariantVal = rng.nextInt(10) match {
      case 0     => null
      case 1     => variant(pool(rng.nextInt(pool.size)))
      case 2     => variant(Null)
      case 3 | 4 => variant(random.vary(base, pool))
      case _     => variant(event(rng))
    }
    Vector.tabulate(count) { i =>
      Row(
        slot(),
        if (rng.nextInt(5) == 0) null else Row(slot(), i),
        i.toLong,
        if (rng.nextInt(5) == 0) null else Seq.fill(rng.nextInt(3))(slot()),
        if (rng.nextInt(5) == 0) null
        else (0 until rng.nextInt(3)).map(k => s"k$k" -> slot()).toMap
      )
    }
  }

  /** Fields that mostly have the type of the shredding schema below. */
  private def event(rng: Random): VariantTree = {
    val fields = Vector(
      "a" -> (if (rng.nextInt(4) == 0) Str("x") else Int32(rng.nextInt())),
      "b" -> (if (rng.nextInt(4) == 0) Null else Str(s"b${rng.nextInt(9)}")),
      "c" -> arr((0 until rng.nextInt(3)).map(i => if (i == 1) Str("y") else Dbl(i.toDouble)): _*),
      "d" -> obj("e" -> Decimal4(rng.nextInt(1000), 2), "f" -> Date(i(rng)), "g" -> Int8(1)),
      "h" -> TimestampMicros(rng.nextInt().toLong)
    )
    Obj(fields.filter(_ => rng.nextInt(5) > 0))
  }

  private def i(rng: Random): Int = rng.nextInt(20000)

  /** All that Spark can write with a forced schema, if this is an object's: it zips the two. */
  private val first3 = StructType(columns.take(3))

  private val schemas = Seq(
    "a int, b string, c array<double>, d struct<e: decimal(9,2), f: date>, h timestamp",
    "a bigint, b variant, c array<variant>, d struct<e: decimal(20,2), g: tinyint, q: binary>",
    "c array<struct<x: int>>, d array<string>, zz boolean",
    "d variant"
  )

  private def check(seed: Long, schema: StructType, settings: (String, String)*): Unit = {
    info(s"seed $seed")
    val path = Files.createTempDirectory(folder, "rows")
    val written = rows(seed, 200).map(row => Row.fromSeq(row.toSeq.take(schema.size)))
    withConf(settings: _*) {
      spark
        .createDataFrame(spark.sparkContext.parallelize(written, 1), schema)
        .write
        .mode("overwrite")
        .option("parquet.page.row.count.limit", "37")
        .option("parquet.block.row.count.limit", "90")
        .parquet(path.toString)
    }
    val wanted = SparkAnswers.bySpark(spark, path, schema)
    assert(wanted.size === 200)
    for {
      batchSize <- Seq(1, 7, 4096)
      offHeap <- Seq(false, true)
      strict <- Seq(true, false)
    } {
      val mode = FileRows.readSettings(strict, offHeap, batchSize)
      SparkAnswers.byUs(path, schema, mode).zip(wanted).zipWithIndex.foreach {
        case ((ours, theirs), row) => assert(ours === theirs, s"row $row with $mode")
      }
    }
  }

  private val shredded = SQLConf.VARIANT_WRITE_SHREDDING_ENABLED.key -> "true"
  private val notInferred = SQLConf.VARIANT_INFER_SHREDDING_SCHEMA.key -> "false"
  private val forced = SQLConf.VARIANT_FORCE_SHREDDING_SCHEMA_FOR_TEST.key

  test("unshredded") {
    (1 to 3).foreach { n =>
      check(100L + n, columns, SQLConf.VARIANT_WRITE_SHREDDING_ENABLED.key -> "false")
    }
  }

  schemas.foreach { schema =>
    test(s"shredded by $schema") {
      (1 to 3).foreach(n => check(200L + n, first3, shredded, notInferred, forced -> schema))
    }
  }

  private val legacy = SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key -> "true"

  test("shredded in Spark's legacy form of lists") {
    schemas.zipWithIndex.foreach { case (schema, n) =>
      check(400L + n, first3, shredded, notInferred, forced -> schema, legacy)
    }
    check(410L, columns, shredded, SQLConf.VARIANT_INFER_SHREDDING_SCHEMA.key -> "true", legacy)
  }

  test("shredded by a schema that Spark infers") {
    (1 to 5).foreach { n =>
      check(300L + n, columns, shredded, SQLConf.VARIANT_INFER_SHREDDING_SCHEMA.key -> "true")
    }
  }
}
