package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.PositionVectors

/**
 * Evaluates an extraction in `validation=permissive`. The typed columns are used directly, except in
 * batches in which an object or array on the path also has residual values: these batches are
 * rebuilt.
 */
private[read] final class PermissiveColumn(
    ancestors: Array[PositionVectors],
    direct: ValueColumn,
    rebuilt: ValueColumn
) extends ValueColumn {
  private var current = direct

  override def vector = current.vector
  override def failed: Boolean = current.failed
  override def error(slot: Int) = current.error(slot)

  override def startRowGroup(): Unit = {
    direct.startRowGroup()
    rebuilt.startRowGroup()
  }

  override def startBatch(slots: Int): Unit = {
    val plain = ancestors.forall(a => a.valueColumn == null || a.valueColumn.isAllNull)
    current = if (plain) direct else rebuilt
    current.startBatch(slots)
  }

  override def close(): Unit = {
    direct.close()
    rebuilt.close()
  }
}
