package io.github.variantshredded.extraction

import io.github.variantshredded.spark.SchemaInternals
import org.apache.spark.sql.types._

/** Says what an extraction returns about the value at its path. */
sealed trait ExtractionResult {

  /** Returns the type of the column that a scan delivers for the extraction. */
  def dataType: DataType
}

object ExtractionResult {

  /**
   * Returns the value as `target`, as `variant_get` or `try_variant_get` does on the rebuilt
   * Variant.
   *
   * @param target
   *   any type that Spark casts a Variant to, VariantType too
   * @param failOnError
   *   whether a value that cannot be cast is an error; if not, the result is SQL NULL
   * @param timeZoneId
   *   time zone of casts from and to timestamps
   */
  final case class Value(target: DataType, failOnError: Boolean, timeZoneId: Option[String])
      extends ExtractionResult {
    override def dataType: DataType = SchemaInternals.asNullable(target)
  }

  /** Tells something about the value in a Boolean, which is false if there is no value. */
  sealed trait Flag extends ExtractionResult {
    override final def dataType: DataType = BooleanType
  }

  /** Returns whether the value is a Variant null; false if there is no value. Never SQL NULL. */
  case object IsVariantNull extends Flag

  /**
   * Returns whether there is a value, which may be a Variant null: `variant_get(v, path) IS NOT
   * NULL`. For the root, this means that the Variant is not SQL NULL. Never SQL NULL.
   */
  case object IsPresent extends Flag
}
