package io.github.variantshredded.read.vector

import io.github.variantshredded.variant.{FieldSorter, MetadataDictionary, VariantReader}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.unsafe.Platform

/**
 * Refers to one binary value of a vector: `bytes` from `start` to `end`. One instance is reused for
 * many rows, and copies no bytes if the vector is on the heap.
 */
private[read] final class BinarySlice {
  var bytes: Array[Byte] = Array.emptyByteArray
  var start: Int = 0
  var end: Int = 0
  private var copy = Array.emptyByteArray

  def length: Int = end - start

  /**
   * Cuts off the bytes that follow after a Variant value. Returns true if there were any.
   * parquet-java writes a value that it takes from another Variant with all bytes that follow it
   * there.
   */
  def cutToValue(): Boolean = {
    val valueEnd = start + VariantReader.valueSize(bytes, start, end)
    val longer = valueEnd < end
    end = valueEnd
    longer
  }

  /**
   * Puts the fields of the objects in a validated Variant value in Spark's order. Copies the value
   * if they are in another one.
   *
   * @return
   *   whether the value was copied
   */
  def sortFields(sorter: FieldSorter, dictionary: MetadataDictionary): Boolean = {
    val sorted = sorter.sorted(bytes, start, end, dictionary)
    val copied = sorted ne bytes
    if (copied) {
      bytes = sorted
      start = 0
      end = sorted.length
    }
    copied
  }

  /** Points at the string or binary of `slot`, which must not be null, without a copy. */
  def read(arrays: LeafArrays, slot: Int): Unit = {
    val at = arrays.index(slot)
    bytes = arrays.bytes
    start = arrays.offsets(at)
    end = start + arrays.lengths(at)
  }

  /**
   * Points at the value of `slot`, which must not be null. Copies it only if the vector is off the
   * heap.
   */
  def read(vector: WritableColumnVector, slot: Int): Unit = {
    val value = vector.getUTF8String(slot)
    val size = value.numBytes
    value.getBaseObject match {
      case onHeap: Array[Byte] =>
        bytes = onHeap
        start = (value.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt
        end = start + size
      case _ =>
        if (copy.length < size) copy = new Array[Byte](math.max(size, copy.length * 2))
        Platform.copyMemory(
          value.getBaseObject,
          value.getBaseOffset,
          copy,
          Platform.BYTE_ARRAY_OFFSET.toLong,
          size.toLong
        )
        bytes = copy
        start = 0
        end = size
    }
  }
}
