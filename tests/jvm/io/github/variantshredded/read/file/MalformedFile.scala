package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.testing.{VariantTree, VariantTreeEncoder}

/**
 * A file with a column `v` of Variants that breaks one rule.
 *
 * @param rule
 *   what is broken
 * @param condition
 *   of the error in strict mode
 * @param reason
 *   the whole text of the error but its location, where a test asserts it
 * @param location
 *   the column and path of the error, as in the text: `column=v, path=$.a`
 */
final case class MalformedFile(
    rule: String,
    condition: String,
    permissive: Permissive,
    reason: Option[String] = None,
    location: Option[String] = None
)(val write: Path => Unit)

/** What permissive mode makes of a malformed file. */
sealed trait Permissive

object Permissive {

  /** The error of strict mode. */
  case object Refused extends Permissive

  /** Some error of ours, or values without an error. */
  case object Either extends Permissive

  /** These Variants. */
  final case class Reads(values: Option[VariantTree]*) extends Permissive
}

/** The parts that malformed files are made of. */
object MalformedFile {
  val Malformed = "MALFORMED_VARIANT"
  val Schema = "INVALID_VARIANT_SHREDDING_SCHEMA"
  val Value = "INVALID_SHREDDED_VARIANT"
  val Corrupt = "CORRUPT_PARQUET_FILE"
  val Unsupported = "UNSUPPORTED_PARQUET_FILE"

  val emptyMetadata: Array[Byte] = ParquetFixture.bytes("01 00 00")

  /** An unsorted dictionary. */
  def metadata(names: String*): Array[Byte] =
    VariantTreeEncoder.metadata(names.toVector, sorted = false, 1)

  /** Metadata and value of a tree, as a row of an unshredded Variant. */
  def unshredded(tree: VariantTree): ParquetFixture.Row = {
    val (dictionary, value) = VariantTree.encode(tree)
    Map("metadata" -> dictionary, "value" -> value)
  }

  /** The value of a tree without objects. */
  def value(tree: VariantTree): Array[Byte] = VariantTree.encode(tree)._2

  /** The schema of a file with the Variant group `v` of the given columns. */
  def variant(columns: String): String =
    s"message m { optional group v (VARIANT(1)) { required binary metadata; $columns } }"

  /** Groups that are no Variant by the spec, with the whole text of the error. */
  def invalidSchema(rule: String, path: String, reason: String)(
      write: Path => Unit
  ): MalformedFile = MalformedFile(
    rule,
    Schema,
    Permissive.Refused,
    Some(reason),
    Some(s"column=v, path=$path")
  )(write)

  /** Values that the shredding spec forbids, with the whole text of the error. */
  def invalid(rule: String, path: String, reason: String, permissive: Permissive)(
      write: Path => Unit
  ): MalformedFile =
    MalformedFile(rule, Value, permissive, Some(reason), Some(s"column=v, path=$path"))(write)

  /** Writes rows of `v`. */
  def rows(columns: String, values: ParquetFixture.Row*): Path => Unit = path =>
    ParquetFixture.write(
      path,
      variant(columns),
      values.map(v => Map("v" -> (Map("metadata" -> emptyMetadata) ++ v)))
    )
}
