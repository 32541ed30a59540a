package io.github.variantshredded.read.skip

import java.nio.file.Files

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.{Comparison, Operand, SkippingPredicate, ValueTest}
import io.github.variantshredded.read.file.OverviewFiles
import io.github.variantshredded.read.file.OverviewFiles.untyped
import io.github.variantshredded.read.file.ParquetFixture.{bytes, Row}
import io.github.variantshredded.testing.{TemporaryFolder, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.scalatest.funsuite.AnyFunSuite

/** What the section "Data Skipping" of the document "Shredding Overview" allows. */
class OverviewSkippingSuite extends AnyFunSuite with TemporaryFolder {

  private val extraction = ScanExtraction(
    Seq("v"),
    Seq(PathStep.Field("a")),
    ExtractionResult.Value(IntegerType, failOnError = false, Some("UTC"))
  )

  /** Rows that are left by statistics of a file with `a` from 0 to 99 and further ones, of `a > 5000`. */
  private def kept(more: Row*): Int = {
    val path = Files.createTempFile(folder, "skipped", ".parquet")
    Files.delete(path)
    val numbers = (0 until 100).map(n => Map("a" -> Map("typed_value" -> n.toLong)))
    val rows = (numbers ++ more.map(a => Map("a" -> a))).map(fields => Map("object" -> fields))
    OverviewFiles.write(path, OverviewFiles.example, rows.map(Option(_)): _*)
    val open = new SkippedFile(path)
    try {
      val greater = ValueTest.Compare(Comparison.Greater, 5000, None)
      val filter = open.filter(
        SkippingPredicate.Test(Operand.OfVariant(0, IntegerType), greater),
        variants = StructType.fromDDL("v variant"),
        extractions = Seq(extraction)
      )
      open.kept(filter).statistics.size
    } finally open.close()
  }

  private def of(tree: VariantTree): Row = Map("untyped_value" -> untyped(tree))

  test("untyped_value is null throughout: typed_value tells") {
    assert(kept() === 0)
    assert(kept(Map("typed_value" -> 6000L)) === 101)
  }

  test("a value in untyped_value may be cast to one that is wanted") {
    assert(kept(of(Str("6000"))) === 101)
    assert(kept(of(Int32(1))) === 101)
  }

  test("Variant nulls in untyped_value are none, however their metadata is flagged") {
    assert(kept(of(Null), of(Null)) === 0)
    val flagged: Row = Map("untyped_value" -> bytes("11 00 00 00"))
    assert(kept(flagged, flagged) === 0)
    // Between the two there are other values.
    assert(kept(of(Null), flagged) === 102)
    // No other value is taken for one.
    assert(kept(of(Null), of(Bool(true))) === 102)
  }
}
