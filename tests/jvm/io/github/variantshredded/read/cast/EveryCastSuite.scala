package io.github.variantshredded.read.cast

import io.github.variantshredded.extraction.{
  ExtractionErrors,
  ExtractionResult,
  PathStep,
  ScanExtraction
}
import io.github.variantshredded.read.extract.{RandomExtractions, SparkExtraction}
import io.github.variantshredded.read.file.{FileRows, Placement, VariantFile, VariantRow}
import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.testing.{
  Clue,
  RandomShredding,
  TemporaryFolder,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatest.funsuite.AnyFunSuite

/**
 * Every shredded type as every type that Spark casts Variants to, strict and not, in three time
 * zones: as Spark casts the whole Variants. The values are of the shredded type, but for some of
 * others.
 */
class EveryCastSuite extends AnyFunSuite with TemporaryFolder {

  private val scalars: Vector[VariantTree] = Gen
    .listOfN(6000, VariantGenerators.genScalar)
    .pureApply(Gen.Parameters.default, Seed(42L))
    .toVector ++ texts.map(Str(_))

  /** Texts that other types are cast from. */
  private def texts: Vector[String] = Vector(
    "1",
    "-7",
    "300",
    "1e3",
    "2.5",
    " 12 ",
    "true",
    "no",
    "NaN",
    "Infinity",
    "9223372036854775808",
    "2024-02-29",
    "2024-02-29 12:34:56.789",
    "2024-02-29T12:34:56Z",
    "2024-02-29 12:34:56+05:45",
    ""
  )

  private val extractions: Vector[ScanExtraction] = for {
    target <- RandomExtractions.scalars ++ Vector(DecimalType(9, 0), DecimalType(18, 9))
    strict <- Vector(true, false)
    zone <- Vector("UTC", "America/Los_Angeles", "Asia/Kathmandu")
  } yield ScanExtraction(
    Seq("v"),
    Seq(PathStep.Field("x")),
    ExtractionResult.Value(target, strict, Some(zone))
  )

  RandomShredding.types.foreach { shreddedType =>
    test(s"casts from $shreddedType") {
      val (typed, others) = scalars.partition(RandomShredding.fits(shreddedType, _))
      val values = typed.takeRight(60) ++ others.take(25)
      val rows = values.map(value => VariantRow(Some(Vector(Some(obj("x" -> value))))))
      val schema =
        ShreddingSchema.ObjectOf(Vector("x" -> ShreddingSchema.Primitive(shreddedType)))
      val file = new VariantFile(Placement.Top, schema, rows, shreddedType.hashCode.toLong, "v")
      val path = folder.resolve(s"$shreddedType.parquet")
      file.write(path)
      val whole = FileRows.read(path, StructType.fromDDL("v variant"))(r => r.getVariant(0))
      val options = FileRows.readSettings(strict = true, batchSize = 32)
      extractions.grouped(12).foreach { group =>
        val actual = FileRows.extract(path, "v", group, options) { row =>
          group.zipWithIndex.map { case (extraction, i) => answer(row, group.size, extraction, i) }
        }
        assert(Seq(actual.size, whole.size) === Seq.fill(2)(file.expected.size))
        actual.zip(whole).zip(file.expected).foreach { case ((answers, variant), tree) =>
          answers.zip(group).foreach { case (is, extraction) =>
            val should = SparkExtraction(Some(variant), extraction)
            val isForeign = should.left.exists(_._1 == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT") ||
              should.left.exists(_._1 == "MALFORMED_VARIANT")
            assert(
              is == should || isForeign,
              Clue(s"for ${extraction.name} (${extraction.what}) of $tree")
            )
          }
        }
      }
    }
  }

  private def answer(
      row: org.apache.spark.sql.catalyst.InternalRow,
      errorsAt: Int,
      extraction: ScanExtraction,
      index: Int
  ): SparkExtraction.Answer =
    try {
      if (!row.isNullAt(errorsAt))
        ExtractionErrors.raise(row.getArray(errorsAt).toByteArray(), index)
      Right(SparkExtraction.column(row, index, extraction.what.dataType))
    } catch { case e: RuntimeException with SparkThrowable => Left(SparkExtraction.error(e)) }
}
