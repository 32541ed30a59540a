package io.github.variantshredded.read.vector

import io.github.variantshredded.extraction.ExtractionErrors
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.vectorized.ColumnarArray

/** Holds the errors of the extractions in a batch. A row without errors is null. */
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
