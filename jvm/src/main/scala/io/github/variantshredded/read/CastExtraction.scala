package io.github.variantshredded.read

import io.github.variantshredded.extraction.{Extracted, ExtractionErrors}
import io.github.variantshredded.spark.RowsToColumns
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.UTF8String

/** Spark's own cast of a Variant. */
private[read] final class VariantCaster(what: Extracted.Value, index: Int, errors: ErrorVector) {

  private val args = VariantCastArgs(
    what.failOnError,
    what.timeZoneId,
    DateTimeUtils.getZoneId(
      what.timeZoneId.getOrElse(SQLConf.SESSION_LOCAL_TIMEZONE.defaultValueString)
    )
  )

  /** The value for a slot; null, and the error noted, where the cast fails. */
  def cast(variant: Variant, slot: Int): Any =
    try VariantGet.cast(variant, what.dataType, args)
    catch {
      case e: RuntimeException with SparkThrowable if e.getCondition != null =>
        errors.add(slot, index, e)
        null
    }
}

/** The errors of a batch's extractions; null in a row without any. */
private[read] final class ErrorVector(capacity: Int) extends ViewVector(BinaryType) {
  private val errors = new Array[Array[Byte]](capacity)
  private var failed = false

  def startBatch(): Unit = if (failed) {
    java.util.Arrays.fill(errors.asInstanceOf[Array[AnyRef]], null)
    failed = false
  }

  def add(slot: Int, index: Int, error: SparkThrowable): Unit = {
    errors(slot) = ExtractionErrors.append(errors(slot), index, error)
    failed = true
  }

  override def hasNull: Boolean = true
  override def numNulls: Int = errors.count(_ == null)
  override def isNullAt(slot: Int): Boolean = !failed || errors(slot) == null
  override def getBinary(slot: Int): Array[Byte] = errors(slot)
}

/** Fills a vector with values as Catalyst has them, boxed: for what no vectorized way serves. */
private[read] final class BoxedAppender(target: WritableColumnVector) {
  private val dataType = target.dataType
  private val row = new GenericInternalRow(1)
  private val nested: Option[RowsToColumns] = dataType match {
    case _: StructType | _: ArrayType | _: MapType | VariantType =>
      Some(new RowsToColumns(dataType, target))
    case _ => None
  }

  /** Appends the value for the next slot. */
  def append(value: Any): Unit = nested match {
    case Some(converter) =>
      row.update(0, value)
      converter.append(row)
    case None if value == null => target.appendNull(): Unit
    case None                  =>
      value match {
        case flag: Boolean      => target.appendBoolean(flag): Unit
        case number: Byte       => target.appendByte(number): Unit
        case number: Short      => target.appendShort(number): Unit
        case number: Int        => target.appendInt(number): Unit
        case number: Long       => target.appendLong(number): Unit
        case number: Float      => target.appendFloat(number): Unit
        case number: Double     => target.appendDouble(number): Unit
        case text: UTF8String   => appendBytes(text.getBytes)
        case bytes: Array[Byte] => appendBytes(bytes)
        case decimal: Decimal   => appendDecimal(decimal)
        case other => throw new IllegalArgumentException(s"not a value of a column: $other")
      }
  }

  private def appendBytes(bytes: Array[Byte]): Unit =
    target.appendByteArray(bytes, 0, bytes.length): Unit

  private def appendDecimal(decimal: Decimal): Unit =
    dataType match {
      case d: DecimalType if d.precision <= Decimal.MAX_INT_DIGITS =>
        target.appendInt(decimal.toUnscaledLong.toInt): Unit
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS =>
        target.appendLong(decimal.toUnscaledLong): Unit
      case _ => appendBytes(decimal.toJavaBigDecimal.unscaledValue.toByteArray)
    }
}
