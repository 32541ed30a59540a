package io.github.variantshredded.read.cast

import io.github.variantshredded.extraction.ExtractionResult
import io.github.variantshredded.variant.VariantJson
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantUtil.Type

/**
 * Casts Variants with Spark's own cast, and objects and arrays to strings with [[VariantJson]], which
 * gives the same text in less time. One instance serves one thread.
 *
 * @param what
 *   the extraction that is evaluated
 * @param target
 *   the type of the cast: the type of the extraction, or of a field or element in it
 */
private[variantshredded] final class VariantCaster(
    what: ExtractionResult.Value,
    val target: DataType
) {

  private val args = VariantCastArgs(
    what.failOnError,
    what.timeZoneId,
    DateTimeUtils.getZoneId(
      what.timeZoneId.getOrElse(SQLConf.SESSION_LOCAL_TIMEZONE.defaultValueString)
    )
  )

  private lazy val json = new VariantJson(args.zoneId)

  /** Returns true if a value that cannot be cast is an error; otherwise it becomes SQL NULL. */
  def failOnError: Boolean = what.failOnError

  /** The error of the last cast; null if it did not fail. */
  var error: SparkThrowable = _

  /** Returns the value as a Catalyst value. If the cast fails, returns null and sets `error`. */
  def cast(variant: Variant): Any =
    try {
      error = null
      if (target == StringType && isContainer(variant)) {
        json.write(variant.getValue, variant.getMetadata)
      } else {
        VariantGet.cast(variant, target, args)
      }
    } catch {
      case e: RuntimeException with SparkThrowable if e.getCondition != null =>
        error = e
        null
    }

  private def isContainer(variant: Variant): Boolean = {
    val kind = variant.getType
    kind == Type.OBJECT || kind == Type.ARRAY
  }
}
