package io.github.variantshredded.extraction

import io.github.variantshredded.spark.SchemaInternals
import org.apache.spark.sql.types._

/** Says what an extraction returns about the value at its path. */
sealed trait ExtractionResult {

  /** Returns the type of the column that a scan delivers for the extraction. */
  def dataType: DataType

  /**
   * Returns the same for a Variant that another extraction delivers. The errors that `try_cast`
   * turns into SQL NULL are then errors of that extraction.
   */
  def ofExtracted: ExtractionResult = this
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
   * @param isTryCast
   *   whether every error of the cast makes the whole result SQL NULL, as for `try_cast(v AS T)`. The
   *   functions raise the error of a value of a type that Spark does not know, even
   *   `try_variant_get`, and `try_cast(v:a AS T)` raises it where it takes `v:a`.
   */
  final case class Value(
      target: DataType,
      failOnError: Boolean,
      timeZoneId: Option[String],
      isTryCast: Boolean = false
  ) extends ExtractionResult {
    override def dataType: DataType = SchemaInternals.asNullable(target)

    override def ofExtracted: ExtractionResult = copy(isTryCast = false)
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
