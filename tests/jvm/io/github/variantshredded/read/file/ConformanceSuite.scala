package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.testing.{SharedFiles, VariantTree}
import org.scalatest.funsuite.AnyFunSuite

/**
 * The public conformance suite of shredded Variants: a test per case.
 *
 * Values are compared by meaning and physical type. Cases that the suite calls an error or INVALID
 * must raise in strict mode; an INVALID one must read as the suite says in permissive mode.
 */
class ConformanceSuite extends AnyFunSuite {
  private val folder = "conformance/shredded_variant"
  private val cases: Seq[JsonNode] =
    if (!SharedFiles.has(s"$folder/cases.json")) Nil
    else {
      new ObjectMapper()
        .readTree(SharedFiles.path(s"$folder/cases.json").toFile)
        .elements
        .asScala
        .filter(_.has("parquet_file"))
        .toSeq
    }

  test("the suite is there") {
    assume(cases.nonEmpty, s"no conformance suite at ${SharedFiles.path(folder)}")
    assert(cases.size > 50)
  }

  private def file(name: String): Path = SharedFiles.path(s"$folder/$name")

  private def expected(node: JsonNode): Vector[Option[VariantTree]] = {
    val names =
      if (node.has("variant_files")) node.get("variant_files").elements.asScala.toVector
      else Vector(node.get("variant_file"))
    names.map { name =>
      Option.when(!name.isNull) {
        val bytes = Files.readAllBytes(file(name.asText))
        val metadata = metadataLength(bytes)
        VariantTree.decode(bytes.take(metadata), bytes.drop(metadata))
      }
    }
  }

  /** Length of the metadata that begins `bytes` (VariantEncoding, "Metadata encoding"). */
  private def metadataLength(bytes: Array[Byte]): Int = {
    val width = ((bytes(0) >> 6) & 3) + 1
    def number(at: Int) = (0 until width).map(i => (bytes(at + i) & 0xff) << (8 * i)).sum
    val size = number(1)
    1 + width * (size + 2) + number(1 + width * (size + 1))
  }

  private def assertSame(
      actual: Vector[Option[VariantTree]],
      wanted: Vector[Option[VariantTree]]
  ): Unit = {
    assert(actual.size === wanted.size)
    actual.zip(wanted).foreach {
      case (Some(a), Some(w)) => assert(VariantTree.sameAs(a, w), s"$a is not $w")
      case (a, w)             => assert(a === w)
    }
  }

  cases.foreach { node =>
    val number = node.get("case_number").asInt
    val name = node.get("parquet_file").asText
    val title = f"case $number%03d: ${node.get("test").asText}"
    if (node.has("error_message")) {
      test(s"$title is an error") {
        val error = intercept[VariantShreddedException](FileRows.variants(file(name), "var"))
        assert(error.location.file.exists(_.endsWith(name)), error.getMessage)
      }
    } else if (name.contains("INVALID")) {
      test(s"$title is refused in strict mode, and read in permissive mode") {
        val error = intercept[VariantShreddedException](FileRows.variants(file(name), "var"))
        assert(error.location.file.exists(_.endsWith(name)), error.getMessage)
        val metrics = new ReadMetrics
        val permissive = FileRows.readSettings(strict = false)
        assertSame(FileRows.variants(file(name), "var", permissive, metrics), expected(node))
        assert(metrics.violationsTolerated > 0)
      }
    } else {
      test(title) {
        assertSame(FileRows.variants(file(name), "var"), expected(node))
      }
      test(s"$title, in off-heap vectors and batches of one row") {
        val options = FileRows.readSettings(strict = true, offHeap = true, batchSize = 1)
        assertSame(FileRows.variants(file(name), "var", options), expected(node))
      }
    }
  }
}
