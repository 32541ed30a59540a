package io.github.variantshredded.write

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.testing.{Clue, VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.write.shred.OverviewShredderSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.scalacheck.{Gen, Shrink}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/**
 * Everything that moves rows or adds to files at once: inference, drift, clustering by values and by
 * shape, bloom filters, many row groups and pages, two Variants a row, two tasks.
 */
class EverythingOnSuite extends WriteSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 3)

  // Other rows are another table altogether.
  implicit private def noShrink[T]: Shrink[T] = Shrink.shrinkAny

  private val Tasks = 2
  private val RowsOfPhase = 300
  private val GroupRows = 130

  private val options = Seq(
    "inferRows" -> "100",
    "driftRows" -> "200",
    "driftFiles" -> "3",
    "clustering" -> "shape",
    "clusterBy" -> """{"v": "$.k, $.b.k", "s.w": "$.a"}""",
    "clusterBytes" -> "40k",
    "bloomFilter" -> """{"v": "$.k, $.a, $.list[*], $.b.k", "s.w": "$.k"}""",
    "compression" -> "zstd",
    "parquet.block.row.count.limit" -> GroupRows.toString,
    "parquet.page.row.count.limit" -> "40",
    "parquet.page.size" -> "1024"
  )

  private val genUsual: Seq[Gen[VariantTree]] = Seq(
    Gen.choose(0, 40).map(n => Int32(n)),
    Gen.choose(Long.MinValue, Long.MaxValue).map(Int64(_)),
    Gen.choose(0, 40).map(n => Str(s"text $n")),
    Gen.choose(-5.0, 5.0).map(Dbl(_)),
    Gen.choose(0, 9999).map(n => Decimal4(n, 2)),
    Gen.oneOf(true, false).map(Bool(_)),
    Gen.choose(0L, 1000L).map(n => TimestampMicros(n * 1000000)),
    Gen.choose(0, 40).flatMap(n => Gen.oneOf(obj("k" -> Int8(n.toByte)), obj("k" -> Str(s"$n")))),
    Gen.listOf(Gen.choose(0, 9).map(n => Str(s"e$n"))).map(list => Arr(list.take(4).toVector))
  )

  /** Rows that are alike: objects of a few fields, each mostly of one type, and a few other rows. */
  private val genPhase: Gen[Seq[Option[VariantTree]]] = for {
    names <- Gen.atLeastOne(Seq("k", "a", "b", "list", "an odd, $.name", "value"))
    kinds <- Gen.listOfN(names.size, Gen.oneOf(genUsual))
    field = Gen.sequence[Seq[Option[(String, VariantTree)]], Option[(String, VariantTree)]](
      names.toSeq.zip(kinds).map { case (name, usual) =>
        Gen.frequency(
          17 -> usual.map(value => Some(name -> value)),
          2 -> VariantGenerators.genSparkTree(2, 3).map(value => Some(name -> value)),
          1 -> Gen.const(None)
        )
      }
    )
    row = Gen.frequency(
      30 -> field.map(fields => Some(Obj(fields.flatten.toVector))),
      1 -> VariantGenerators.genSparkTree(3, 4).map(Some(_)),
      1 -> Gen.const(None)
    )
    rows <- Gen.listOfN(RowsOfPhase, row)
  } yield rows

  private val genRows: Gen[Seq[Option[VariantTree]]] =
    Gen.listOfN(3, genPhase).map(_.flatten)

  /** `n`, `v` and `s.w`, which has the Variants of `v` in another order. */
  private def table(trees: Seq[Option[VariantTree]]): DataFrame = {
    val values = trees.map(_.map(value).orNull)
    val rows = values.zip(values.reverse).zipWithIndex.map { case ((v, w), n) =>
      Row(n, v, Row(w))
    }
    spark.createDataFrame(
      spark.sparkContext.parallelize(rows, Tasks),
      StructType.fromDDL("n int, v variant, s struct<w variant>")
    )
  }

  private def bytes(path: Path): Seq[Seq[Byte]] =
    files(path).map(file => Files.readAllBytes(path.resolve(file)).toSeq)

  private def assertSame(
      found: Seq[Option[VariantTree]],
      expected: Seq[Option[VariantTree]],
      reader: String,
      same: (VariantTree, VariantTree) => Boolean
  ): Unit = {
    assert(found.size === expected.size, reader)
    found.zip(expected).zipWithIndex.foreach {
      case ((Some(a), Some(b)), n) => assert(same(a, b), Clue(s"$reader, row $n: $a, not $b"))
      case ((a, b), n)             => assert(a === b, s"$reader, row $n")
    }
  }

  private def read(format: String, path: Path): DataFrame =
    spark.read.format(format).load(path.toString)

  /** Conditions that some rows meet, and one that none does: column, path and text there. */
  private def conditions(trees: Seq[Option[VariantTree]]): Seq[(String, String, String)] = {
    def someText(name: String) = trees.iterator.flatten
      .collect { case Obj(fields) => fields }
      .flatMap(_.collectFirst { case (`name`, Str(text)) => text })
      .nextOption()
    Seq("v" -> "k", "v" -> "value", "s.w" -> "a").flatMap { case (column, name) =>
      someText(name).map((column, s"$$.$name", _))
    } :+ (("v", "$.k", "nowhere"))
  }

  private def matches(data: DataFrame, conditions: Seq[(String, String, String)]): Seq[Set[Int]] =
    conditions.map { case (name, path, text) =>
      data
        .where(try_variant_get(col(name), path, "string") === text)
        .select("n")
        .collect()
        .map(_.getInt(0))
        .toSet
    }

  private def check(layout: String, readers: String*)(
      same: (VariantTree, VariantTree) => Boolean
  ): Unit = {
    val all = options :+ ("layout" -> layout)
    var rolled = 0
    var groupCount = 0
    var moved = 0
    var found = 0
    forAll(genRows) { trees =>
      val df = table(trees)
      val path = written(df, all: _*)
      readers.foreach { format =>
        val rows = read(format, path).orderBy("n").select("v", "s.w").collect().toSeq
        assertSame(rows.map(row => tree(row.get(0))), trees, s"$format v", same)
        assertSame(rows.map(row => tree(row.get(1))), trees.reverse, s"$format s.w", same)
      }
      val byOurs = matches(read("variant-shredded", path), conditions(trees))
      assert(byOurs === matches(df, conditions(trees)))
      assert(bytes(path) === bytes(written(df, all: _*)))

      val byFile = files(path).map(file => groups(path.resolve(file)).map(_.getInteger("n", 0)))
      val blocks = files(path).flatMap(file => footer(path.resolve(file)).getBlocks.asScala)
      assert(blocks.forall(_.getRowCount <= GroupRows))
      rolled += byFile.size - Tasks
      groupCount += blocks.size - byFile.size
      moved += byFile.count(ns => ns != ns.sorted)
      found += byOurs.count(_.nonEmpty)
    }
    // That the rows were not too tame.
    assert(rolled > 2 && groupCount > 10 && moved > 2 && found > 2)
  }

  test("Spark's reader and ours give back every row, and the same rows give the same bytes") {
    check("spec", "parquet", "variant-shredded")(VariantTree.sameAs(_, _, exact = false))
  }

  test("so it is in the earlier layout, where numbers may be of another type") {
    check("overview", "variant-shredded")(OverviewShredderSuite.same)
  }
}
