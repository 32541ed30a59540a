package io.github.variantshredded.read.extract

import java.lang.management.ManagementFactory
import java.nio.file.Path

import com.sun.management.ThreadMXBean
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.read.file.{FileRows, MalformedFile, MalformedValues}
import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.testing.TemporaryFolder
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.types.StringType
import org.scalatest.funsuite.AnyFunSuite

/** What extractions share, and what they refuse. */
class ResidualExtractionsSuite extends AnyFunSuite with TemporaryFolder {

  private def string(steps: PathStep*) = ScanExtraction(
    Seq("v"),
    steps,
    ExtractionResult.Value(StringType, failOnError = false, Some("UTC"))
  )

  private def read(
      path: Path,
      extractions: Seq[ScanExtraction],
      strict: Boolean = true,
      batchSize: Int = 4096,
      metrics: ReadMetrics = new ReadMetrics
  ): Vector[Seq[Option[String]]] = {
    val settings = FileRows.readSettings(strict, batchSize = batchSize)
    FileRows.extract(path, "v", extractions, settings, metrics) { row =>
      extractions.indices.map(i => Option(row.getUTF8String(i)).map(_.toString))
    }
  }

  test("an element whose group is null is refused if it is taken by its index") {
    val path = folder.resolve("null-element.parquet")
    MalformedValues.all.find(_.rule == "an element whose group is null").get.write(path)
    val second = Seq(string(PathStep.Element(1)))
    val error = intercept[VariantShreddedException](read(path, second))
    assert(error.condition === MalformedFile.Value)
    assert(error.reason === "An element of an array is null, not a group.")
    assert(error.location.column === Some("v") && error.location.path === Some("$[*]"))
    val metrics = new ReadMetrics
    assert(read(path, second, strict = false, metrics = metrics) === Vector(Seq(None)))
    assert(metrics.violationsTolerated === 1)
    assert(read(path, Seq(string(PathStep.Element(0)))) === Vector(Seq(Some("1"))))
  }

  test("100 extractions from large values take the memory of one validator") {
    val path = folder.resolve("large.parquet")
    val fields = (0 until 100).map(i => s"f$i" -> Int32(i))
    val tree = obj(fields :+ "large" -> Str("x" * 900000): _*)
    MalformedFile.rows("required binary value;", MalformedFile.unshredded(tree))(path)
    val extractions = fields.map { case (name, _) => string(PathStep.Field(name)) }
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    def allocated = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
    val before = allocated
    assert(read(path, extractions) === Vector((0 until 100).map(i => Some(i.toString))))
    assert(allocated - before < (100L << 20))
  }

  test("a malformed value is refused in a later batch, in which a slot has another value") {
    val path = folder.resolve("later.parquet")
    val well = MalformedFile.unshredded(obj("a" -> Int8(1), "b" -> Int8(2)))
    val cut = well + ("value" -> well("value").asInstanceOf[Array[Byte]].dropRight(1))
    MalformedFile.rows("required binary value;", Seq.fill(5)(well) :+ cut: _*)(path)
    val both = Seq("a", "b").map(name => string(PathStep.Field(name)))
    val error = intercept[VariantShreddedException](read(path, both, batchSize = 4))
    assert(error.condition === MalformedFile.Malformed)
  }
}
