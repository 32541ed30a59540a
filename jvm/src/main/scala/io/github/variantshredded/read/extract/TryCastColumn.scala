package io.github.variantshredded.read.extract

import io.github.variantshredded.read.vector.ViewVector
import org.apache.spark.sql.types.{ArrayType, StructType}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnVector}

/**
 * Returns SQL NULL in the slots in which the cast of `column` fails. If a field or an element cannot
 * be cast, the whole struct or array is SQL NULL.
 */
private[read] final class TryCastColumn(column: ValueColumn) extends ValueColumn {
  private var current: ColumnVector = _

  override def vector: ColumnVector = current

  override def startRowGroup(): Unit = column.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    column.startBatch(slots)
    val values = column.vector
    current = values.dataType match {
      case _: StructType | _: ArrayType if column.failed =>
        new TryCastColumn.Masked(values, Array.tabulate(slots)(column.error(_) != null))
      // A map or scalar is null already if its cast fails.
      case _ => values
    }
  }

  override def close(): Unit = column.close()
}

private object TryCastColumn {

  /** Shows a vector of structs or arrays, of which some are SQL NULL. */
  private final class Masked(values: ColumnVector, isMasked: Array[Boolean])
      extends ViewVector(values.dataType) {
    override def hasNull: Boolean = true
    override def numNulls: Int = isMasked.indices.count(isNullAt)
    override def isNullAt(slot: Int): Boolean = isMasked(slot) || values.isNullAt(slot)
    override def getArray(slot: Int): ColumnarArray =
      if (isNullAt(slot)) null else values.getArray(slot)
    override def getChild(ordinal: Int): ColumnVector = values.getChild(ordinal)
  }
}
