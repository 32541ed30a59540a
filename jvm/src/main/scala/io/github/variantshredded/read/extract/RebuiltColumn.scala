package io.github.variantshredded.read.extract

import io.github.variantshredded.read.cast.{ResultVector, VariantCaster}
import io.github.variantshredded.read.position.PositionReader
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Casts the rebuilt Variants of a position with Spark's own cast. This is slow, but correct for
 * every pair of types.
 */
private[read] final class RebuiltColumn(
    reader: PositionReader,
    caster: VariantCaster,
    result: WritableColumnVector
) extends ValueColumn {
  private val appender = new ResultVector.Appender(result)
  private var errors = new Array[SparkThrowable](0)
  private var anyFailed = false

  override def vector: ColumnVector = result

  override def failed: Boolean = anyFailed

  override def error(slot: Int): SparkThrowable = errors(slot)

  override def startBatch(slots: Int): Unit = {
    reader.position.startBatch(slots)
    fill(slots)
  }

  /** Casts the slots of a batch. The position must have been started. */
  def fill(slots: Int): Unit = {
    if (errors.length < slots) errors = new Array[SparkThrowable](slots)
    else if (anyFailed) java.util.Arrays.fill(errors.asInstanceOf[Array[AnyRef]], null)
    anyFailed = false
    appender.start(slots)
    var slot = 0
    while (slot < slots) {
      if (reader.isPresent(slot)) {
        val value = caster.cast(reader.variant(slot))
        if (caster.error != null) {
          errors(slot) = caster.error
          anyFailed = true
        }
        appender.append(value)
      } else {
        appender.append(null)
      }
      slot += 1
    }
  }

  override def close(): Unit = result.close()
}
