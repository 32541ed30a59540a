package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.ExtractionErrors
import io.github.variantshredded.read.{NullVector, OutputColumn, RowGroup, ViewVector}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.{ByteType, DataType}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnVector}

/**
 * What a query asks of one position of a Variant, slot by slot: a slot is a row or, below an array,
 * an element.
 */
private[read] abstract class ValueColumn {

  /** The values of the current batch; in the next batch another vector may take its place. */
  def vector: ColumnVector

  /** Called once a row group, before its first batch. */
  def startRowGroup(): Unit = ()

  /** Called once a batch, after its leaves are decoded. */
  def startBatch(slots: Int): Unit

  /** Whether the cast of any slot of the batch failed. */
  def failed: Boolean = false

  /** Why the cast of a slot failed; null where it did not. */
  def error(slot: Int): SparkThrowable = null

  def close(): Unit = ()
}

/** A value that is nowhere. */
private[read] final class NullColumn(dataType: DataType) extends ValueColumn {
  override val vector: ColumnVector = NullVector(dataType)
  override def startBatch(slots: Int): Unit = ()
}

/** The column of a batch for one extraction. */
private[read] final class ExtractedColumn(
    column: ValueColumn,
    index: Int,
    errors: ErrorVector
) extends OutputColumn {
  override def vector: ColumnVector = column.vector

  override def startRowGroup(rowGroup: RowGroup): Unit = column.startRowGroup()

  override def readBatch(rows: Int): Unit = {
    column.startBatch(rows)
    if (column.failed) {
      var slot = 0
      while (slot < rows) {
        val error = column.error(slot)
        if (error != null) errors.add(slot, index, error)
        slot += 1
      }
    }
  }

  override def close(): Unit = column.close()
}

/** The errors of a batch's extractions; null in a row without any. */
private[read] final class ErrorVector(capacity: Int)
    extends ViewVector(ExtractionErrors.ColumnType) {
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
  override def getArray(slot: Int): ColumnarArray =
    new ColumnarArray(new Bytes(errors(slot)), 0, errors(slot).length)

  private final class Bytes(values: Array[Byte]) extends ViewVector(ByteType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = false
    override def getByte(slot: Int): Byte = values(slot)
  }
}
