package io.github.variantshredded.read.extract

import io.github.variantshredded.read.cast.{ResidualCast, ResultVector, VariantCaster}
import io.github.variantshredded.read.position.PathFinder
import io.github.variantshredded.read.vector.NullVector
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.Variant

/**
 * Evaluates a path on Variants in binary form, and casts the result to a type other than Variant.
 */
private[read] final class FoundColumn(
    path: PathFinder,
    caster: VariantCaster,
    result: WritableColumnVector
) extends ValueColumn {
  private val isAtomic = !ResultVector.isNested(result.dataType)
  private val cast = new ResidualCast(caster, result)
  private val appender = new ResultVector.Appender(result)
  private val nulls = NullVector(result.dataType)
  private var current: ColumnVector = nulls
  private var errors: Array[SparkThrowable] = _

  override def vector: ColumnVector = current

  override def failed: Boolean = errors != null

  override def error(slot: Int): SparkThrowable = if (errors == null) null else errors(slot)

  override def startBatch(slots: Int): Unit = {
    path.source.startBatch(slots)
    errors = null
    if (!path.source.mayHaveVariants) current = nulls
    else {
      current = result
      appender.start(slots)
      var slot = 0
      while (slot < slots) {
        val isFound = path.find(slot)
        if (isAtomic && isFound) {
          note(
            slot,
            slots,
            cast.put(slot, path.source.bytes, path.start, path.end, path.source.plan)
          )
        } else if (isFound) {
          val value = caster.cast(new Variant(path.value, path.source.plan.bytes))
          note(slot, slots, caster.error)
          appender.append(value)
        } else if (isAtomic) result.putNull(slot)
        else appender.append(null)
        slot += 1
      }
    }
  }

  private def note(slot: Int, slots: Int, error: SparkThrowable): Unit = if (error != null) {
    if (errors == null) errors = new Array[SparkThrowable](slots)
    errors(slot) = error
  }

  override def close(): Unit = result.close()
}
