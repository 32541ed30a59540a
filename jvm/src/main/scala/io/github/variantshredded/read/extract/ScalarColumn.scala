package io.github.variantshredded.read.extract

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.read.cast.{ResidualCast, StringCheck, TypedCast, VariantCaster}
import io.github.variantshredded.read.decode.PrimitiveVectors
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.position.{PositionReader, ResidualReader}
import io.github.variantshredded.read.vector.NullVector
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Returns a position as an atomic type.
 *
 * If the types are equal and the batch has no residual value, the decoded `typed_value` is the
 * result. Otherwise the typed values are cast or copied in one loop, and then each slot with a
 * residual value is filled in.
 *
 * @param typed
 *   the cast of the primitive `typed_value`; null if the position has no primitive `typed_value`
 *   that can be cast, so that its typed values become SQL NULL
 * @param reader
 *   rebuilds the Variants of the position, to find the errors of failed casts
 */
private[read] final class ScalarColumn(
    reader: PositionReader,
    typed: TypedCast,
    caster: VariantCaster,
    residual: ResidualReader,
    result: WritableColumnVector,
    context: FileContext
) extends ValueColumn {
  import reader.{position, rows}

  private val strings = new StringCheck(position, context.strict)

  private val residualCast = new ResidualCast(caster, result)
  private val nulls = NullVector(caster.target)
  private var current: ColumnVector = nulls
  // Which casts of typed values failed; their errors are computed on request. The errors of
  // residual values are kept.
  private var failures = new Array[Boolean](0)
  private var anyFailed = false
  private var errors: Array[SparkThrowable] = _

  override def vector: ColumnVector = current

  override def failed: Boolean = errors != null || (anyFailed && caster.failOnError)

  override def error(slot: Int): SparkThrowable =
    if (errors != null && errors(slot) != null) errors(slot)
    else if (!anyFailed || !failures(slot)) null
    else {
      caster.cast(reader.variant(slot))
      caster.error
    }

  override def startRowGroup(): Unit = strings.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    position.startBatch(slots)
    clearFailures(slots)
    val source = position.typed match {
      case primitive: PrimitiveVectors if typed != null && primitive.mayHaveValues =>
        primitive.vector
      case _ => null
    }
    val hasResidual = NestedColumns.hasResidual(position, slots)
    if (source == null && !hasResidual) current = nulls
    else if (!hasResidual && typed.isIdentity) {
      strings.check(source, slots)
      context.metrics.vectorsPassedThrough += 1
      current = source
    } else {
      result.reset()
      result.reserve(slots)
      current = result
      if (source == null) result.putNulls(0, slots)
      else {
        strings.check(source, slots)
        anyFailed = located(typed.cast(source, result, slots, failures))
      }
      if (hasResidual) patch(source, slots)
    }
  }

  private def located[T](body: => T): T =
    try body
    catch {
      case e: VariantShreddedException =>
        throw e.at(ErrorLocation(path = Some(position.position.path)))
    }

  private def clearFailures(slots: Int): Unit = {
    if (failures.length < slots) failures = new Array[Boolean](slots)
    else if (anyFailed) java.util.Arrays.fill(failures, false)
    anyFailed = false
    errors = null
  }

  private def patch(source: WritableColumnVector, slots: Int): Unit = {
    val value = position.value
    var slot = 0
    while (slot < slots) {
      if (!value.isNullAt(slot)) {
        residual.read(slot, rows.row(slot))
        if (source != null && !source.isNullAt(slot)) residual.conflict()
        else if (typed != null || context.strict || !reader.hasTypedValue(slot)) {
          residual.checkAlone()
          val error =
            residualCast.put(slot, residual.bytes, residual.start, residual.end, residual.plan)
          if (error != null) {
            if (errors == null) errors = new Array[SparkThrowable](slots)
            errors(slot) = error
          }
        }
      }
      slot += 1
    }
  }

  override def close(): Unit = result.close()
}
