package io.github.variantshredded.errors

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable

/**
 * Reports an error of this source, with its condition and its location.
 *
 * The message reads `[CONDITION] reason (file=..., rowGroup=..., column=..., path=...)`. Conditions
 * keep Spark's name where the meaning is equal.
 *
 * The class is an IllegalArgumentException because PySpark turns these into a Python exception of
 * their own, but no other RuntimeException.
 *
 * @param condition
 *   name of the error condition, such as `MALFORMED_VARIANT`
 * @param reason
 *   one sentence: the rule that was broken and, where possible, what to do
 * @param sqlState
 *   five-character SQLSTATE
 */
class VariantShreddedException(
    val condition: String,
    val reason: String,
    val sqlState: String,
    val location: ErrorLocation = ErrorLocation(),
    cause: Throwable = null
) extends IllegalArgumentException(
      VariantShreddedException.message(condition, reason, location),
      cause
    )
    with SparkThrowable {

  override def getCondition: String = condition

  override def getSqlState: String = sqlState

  override def getMessageParameters: JMap[String, String] =
    (("reason" -> reason) +: location.parameters).toMap.asJava

  /** Returns the same error, with missing parts of its location taken from `outer`. */
  def at(outer: ErrorLocation): VariantShreddedException =
    new VariantShreddedException(condition, reason, sqlState, location.within(outer), this)
}

object VariantShreddedException {
  private def message(condition: String, reason: String, location: ErrorLocation): String = {
    val where = location.parameters.map { case (name, value) => s"$name=$value" }
    val suffix = if (where.isEmpty) "" else where.mkString(" (", ", ", ")")
    s"[$condition] $reason$suffix"
  }
}
