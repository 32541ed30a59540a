package io.github.variantshredded.read.cast

import java.util.Arrays

import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.variant.{ValueHeader, VariantConstants, VariantReader}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant

/**
 * Casts single residual values to an atomic type. Frequent pairs of types are cast directly, all
 * others by Spark.
 */
private[read] final class ResidualCast(caster: VariantCaster, result: WritableColumnVector) {
  import VariantConstants._

  private val target = caster.target

  /**
   * Casts the Variant in `bytes`, from `start` to `end`, and writes the result to a slot.
   *
   * @return
   *   the error of the cast, or null if it did not fail
   */
  def put(
      slot: Int,
      bytes: Array[Byte],
      start: Int,
      end: Int,
      plan: MetadataPlan
  ): SparkThrowable = {
    val header = bytes(start) & 0xff
    val basic = ValueHeader.basicType(header)
    val primitive = if (basic == BasicPrimitive) ValueHeader.info(header) else -1
    if (primitive == Null) {
      result.putNull(slot)
      null
    } else {
      val isDone = target match {
        case LongType if primitive >= Int8 && primitive <= Int64 =>
          result.putNotNull(slot)
          result.putLong(slot, VariantReader.getLong(bytes, start, end))
          true
        case DoubleType if primitive == VariantConstants.Double =>
          result.putNotNull(slot)
          result.putDouble(slot, VariantReader.getDouble(bytes, start, end))
          true
        case BooleanType if primitive == True || primitive == False =>
          result.putNotNull(slot)
          result.putBoolean(slot, primitive == True)
          true
        case StringType if basic == BasicShortString || primitive == LongString =>
          val content = VariantReader.contentStart(bytes, start, end)
          val length = VariantReader.contentLength(bytes, start, end)
          result.putNotNull(slot)
          result.putByteArray(slot, bytes, content, length)
          true
        case _ => false
      }
      if (isDone) null else bySpark(slot, bytes, start, end, plan)
    }
  }

  private def bySpark(
      slot: Int,
      bytes: Array[Byte],
      start: Int,
      end: Int,
      plan: MetadataPlan
  ): SparkThrowable = {
    val value = caster.cast(new Variant(Arrays.copyOfRange(bytes, start, end), plan.bytes))
    if (value == null) result.putNull(slot)
    else {
      result.putNotNull(slot)
      ResultVector.put(result, slot, value)
    }
    caster.error
  }
}
