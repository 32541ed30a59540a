package io.github.variantshredded.read.extract

import java.nio.file.Path

import io.github.variantshredded.extraction.{
  ExtractionErrors,
  ExtractionResult,
  PathStep,
  ScanExtraction
}
import io.github.variantshredded.extraction.PathStep.{Element, Field}
import io.github.variantshredded.read.file.{FileRows, Placement, VariantFile, VariantRow}
import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}
import io.github.variantshredded.shredding.ShreddingSchema.{ArrayOf, ObjectOf, Primitive}
import io.github.variantshredded.testing.{
  Cases,
  Clue,
  RandomShredding,
  TemporaryFolder,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatest.funsuite.AnyFunSuite

/**
 * Two extractions that look at the same leaves, or at leaves around each other's, give together what
 * each gives alone, which is what Spark gives on the whole Variant: for every shredded type, with
 * residuals at every level, beside the whole Variant too.
 */
class OverlappingExtractionsSuite extends AnyFunSuite with TemporaryFolder {

  private def value(target: String, strict: Boolean = false)(path: PathStep*): ScanExtraction =
    of(ExtractionResult.Value(DataType.fromDDL(target), strict, Some("UTC")), path)

  private def of(what: ExtractionResult, path: Seq[PathStep]): ScanExtraction =
    ScanExtraction(Seq("v"), path, what)

  private val o = Field("o")
  private val x = Field("x")
  private val l = Field("l")
  private val a = Field("a")

  private val extractions: Vector[ScanExtraction] = Vector(
    value("struct<o:struct<y:bigint>,w:int>")(),
    value("struct<x:string,l:array<struct<y:int>>>", strict = true)(),
    value("map<string,variant>")(),
    value("variant", strict = true)(o),
    value("struct<y:bigint>", strict = true)(o),
    value("struct<y:int,z:int>")(o),
    value("struct<x:double>")(o),
    value("map<string,string>")(o),
    value("string")(o),
    value("bigint")(o, x),
    value("double")(o, x),
    value("int", strict = true)(o, x),
    value("bigint")(x),
    value("double", strict = true)(x),
    value("array<struct<y:bigint>>")(l),
    value("struct<y:bigint,z:int>")(l, Element(0)),
    value("bigint")(l, Element(0), x),
    value("double")(l, Element(1), x),
    value("array<double>")(a),
    of(ExtractionResult.IsPresent, Seq(o, x)),
    of(ExtractionResult.IsVariantNull, Seq(x))
  )

  private def schema(shreddedType: ShreddedType): ShreddingSchema = {
    val typed = Primitive(shreddedType)
    val pair = ObjectOf(Vector("x" -> typed, "y" -> Primitive(ShreddedType.Int64)))
    ObjectOf(Vector("o" -> pair, "x" -> typed, "l" -> ArrayOf(pair), "a" -> ArrayOf(typed)))
  }

  private val foreign: Vector[VariantTree] = Gen
    .listOfN(40, VariantGenerators.genScalar)
    .pureApply(Gen.Parameters.default, Seed(7L))
    .toVector

  /** Values of the type with a residual at each position where one may be, and with none. */
  private def trees(typed: Vector[VariantTree]): Vector[Option[VariantTree]] =
    typed.zipWithIndex.flatMap { case (t, i) =>
      val other = foreign(i % foreign.size)
      def pair(x: VariantTree, more: (String, VariantTree)*): Obj =
        Obj(Vector("x" -> x, "y" -> Int64(i.toLong)) ++ more)
      val plain = Vector("o" -> pair(t), "x" -> t, "l" -> arr(pair(t), pair(t)), "a" -> arr(t, t))
      Vector(
        Some(Obj(plain)),
        Some(Obj(plain.updated(0, "o" -> pair(t, "z" -> Int8(1))))),
        Some(Obj(plain :+ ("w" -> other))),
        Some(Obj(plain.updated(0, "o" -> pair(other)))),
        Some(Obj(plain.updated(0, "o" -> other).updated(1, "x" -> other))),
        Some(Obj(plain.updated(2, "l" -> arr(pair(t, "z" -> Int8(2)), pair(other), t)))),
        Some(Obj(plain.updated(2, "l" -> other).updated(3, "a" -> arr(t, other)))),
        Some(Obj(plain.take(i % 4))),
        Some(obj("o" -> obj("y" -> other), "x" -> Null, "a" -> arr())),
        if (i % 2 == 0) None else Some(other)
      )
    }

  private val scalars: Vector[VariantTree] = Gen
    .listOfN(4000, VariantGenerators.genScalar)
    .pureApply(Gen.Parameters.default, Seed(42L))
    .toVector

  private val modes = Vector(
    FileRows.readSettings(strict = true, batchSize = 32),
    FileRows.readSettings(strict = true, batchSize = 5, offHeap = true),
    FileRows.readSettings(strict = false, batchSize = 16)
  )

  private val pairs: Vector[(Vector[Int], Int)] =
    extractions.indices.combinations(2).map(_.toVector).toVector.zipWithIndex

  RandomShredding.types.zipWithIndex.foreach { case (shreddedType, number) =>
    test(s"pairs of extractions around leaves of $shreddedType") {
      val typed = scalars.filter(RandomShredding.fits(shreddedType, _)).take(3)
      val rows = trees(typed).map(tree => VariantRow(Some(Vector(tree))))
      val seed = shreddedType.hashCode.toLong
      val file = new VariantFile(Placement.Top, schema(shreddedType), rows, seed, "v", leftOut = 40)
      val path = folder.resolve(s"$shreddedType.parquet")
      file.write(path)
      val whole = FileRows.read(path, StructType.fromDDL("v variant")) { row =>
        if (row.isNullAt(0)) None else Some(row.getVariant(0))
      }
      val expected = extractions.map(e => whole.map(SparkExtraction(_, e)))
      Cases.everyNth(2, number, pairs).foreach { case (pair, i) =>
        check(path, pair, expected, modes(i % modes.size), None)
      }
      extractions.indices.foreach { i =>
        modes.foreach(check(path, Vector(i), expected, _, Some(whole.map(_.map(FileRows.tree)))))
      }
    }
  }

  private def check(
      path: Path,
      wanted: Vector[Int],
      expected: Vector[Vector[SparkExtraction.Answer]],
      options: ReadSettings,
      whole: Option[Vector[Option[VariantTree]]]
  ): Unit = {
    val asked = wanted.map(extractions)
    val first = if (whole.isDefined) 1 else 0
    val clue =
      Clue(s"${asked.map(_.name).mkString(" and ")}, whole ${whole.isDefined}, $options, $path")
    val answers =
      try {
        FileRows.extract(path, "v", asked, options, whole = whole.isDefined) { row =>
          val variant = Option.when(first == 1 && !row.isNullAt(0))(row.getVariant(0))
          (variant.map(FileRows.tree), asked.indices.map(answer(row, first, asked, _)))
        }
      } catch { case e: Exception => fail(clue.toString, e) }
    assert(answers.size === expected.head.size, clue)
    answers.zipWithIndex.foreach { case ((variant, found), row) =>
      whole.foreach { variants =>
        assert(
          variant.isDefined == variants(row).isDefined &&
            variant.forall(VariantTree.sameAs(_, variants(row).get)),
          clue
        )
      }
      found.zip(wanted).foreach { case (is, i) =>
        val should = expected(i)(row)
        // Types that Spark's Variant does not know.
        val isForeign = should.left.exists(_._1 == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT") ||
          should.left.exists(_._1 == "MALFORMED_VARIANT")
        assert(is == should || isForeign, Clue(s"${extractions(i).name} of row $row: $clue"))
      }
    }
  }

  private def answer(
      row: InternalRow,
      first: Int,
      asked: Seq[ScanExtraction],
      i: Int
  ): SparkExtraction.Answer =
    try {
      val errors = first + asked.size
      if (!row.isNullAt(errors)) ExtractionErrors.raise(row.getArray(errors).toByteArray(), i)
      Right(SparkExtraction.column(row, first + i, asked(i).what.dataType))
    } catch { case e: RuntimeException with SparkThrowable => Left(SparkExtraction.error(e)) }
}
