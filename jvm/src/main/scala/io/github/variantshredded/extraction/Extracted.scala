package io.github.variantshredded.extraction

import io.github.variantshredded.spark.SchemaInternals
import org.apache.spark.sql.types._

/** What is asked of the value at a path. */
sealed trait Extracted {

  /** Type of the column that a scan delivers for it. */
  def dataType: DataType
}

object Extracted {

  /**
   * The value as `target`: what `variant_get` or `try_variant_get` gives on the rebuilt Variant.
   *
   * @param target
   *   any type that Spark casts a Variant to, VariantType too
   * @param failOnError
   *   whether a value that cannot be cast is an error, else SQL NULL
   * @param timeZoneId
   *   time zone of casts from and to timestamps
   */
  final case class Value(target: DataType, failOnError: Boolean, timeZoneId: Option[String])
      extends Extracted {
    override def dataType: DataType = SchemaInternals.asNullable(target)
  }

  /** Whether there is a Variant null, as `is_variant_null`: false where nothing is. Never null. */
  case object IsVariantNull extends Extracted {
    override def dataType: DataType = BooleanType
  }

  /**
   * Whether there is anything, a Variant null too: `variant_get(v, path) IS NOT NULL`. At the root:
   * whether the Variant is not SQL NULL. Never null.
   */
  case object IsPresent extends Extracted {
    override def dataType: DataType = BooleanType
  }
}
