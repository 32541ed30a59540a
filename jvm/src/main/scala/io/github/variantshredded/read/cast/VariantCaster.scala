package io.github.variantshredded.read.cast

import io.github.variantshredded.extraction.Extracted
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType
import org.apache.spark.types.variant.Variant

/** Spark's own cast of a Variant to `target`, which is part of what `what` asks for. */
private[read] final class VariantCaster(what: Extracted.Value, val target: DataType) {

  private val args = VariantCastArgs(
    what.failOnError,
    what.timeZoneId,
    DateTimeUtils.getZoneId(
      what.timeZoneId.getOrElse(SQLConf.SESSION_LOCAL_TIMEZONE.defaultValueString)
    )
  )

  /** Whether a value that cannot be cast is an error. */
  def failOnError: Boolean = what.failOnError

  /** Why the last cast failed; null if it did not. */
  var error: SparkThrowable = _

  /** The value as Catalyst has it; null, with `error` set, where the cast fails. */
  def cast(variant: Variant): Any =
    try {
      error = null
      VariantGet.cast(variant, target, args)
    } catch {
      case e: RuntimeException with SparkThrowable if e.getCondition != null =>
        error = e
        null
    }
}
