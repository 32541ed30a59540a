package io.github.variantshredded.read.extract

import io.github.variantshredded.read.position.RequiredValues
import io.github.variantshredded.read.vector.ArrayView
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Returns a shredded array as `array<...>`: the offsets and lengths of the array over the column of
 * its elements. A batch with a residual value, or with a null element group, is cast from rebuilt
 * Variants.
 */
private[read] final class ArrayColumn(
    array: ShreddedList,
    dataType: ArrayType,
    otherwise: RebuiltColumn
) extends ValueColumn {
  import array.{element, list, position, required}

  private var current: ColumnVector = _
  private var isPlain = true

  override def vector: ColumnVector = current

  override def startRowGroup(): Unit = element.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    val elements = array.startBatch(slots)
    isPlain = !NestedColumns.hasResidual(position, slots) && !hasNullGroup(elements)
    if (isPlain) {
      array.startElements(elements)
      required.foreach(check(_, slots))
      current = new ArrayView(dataType, list.list, element.vector)
    } else {
      otherwise.fill(slots)
      current = otherwise.vector
    }
  }

  private def check(values: RequiredValues, slots: Int): Unit = {
    val arrays = list.list
    var slot = 0
    while (slot < slots) {
      if (!arrays.isNullAt(slot)) {
        val from = arrays.getArrayOffset(slot)
        val to = from + arrays.getArrayLength(slot)
        var i = from
        while (i < to) {
          values.check(i)
          i += 1
        }
      }
      slot += 1
    }
  }

  private def hasNullGroup(elements: Int): Boolean = {
    val group = list.elementGroup
    var found = false
    var i = 0
    while (group != null && i < elements && !found) {
      found = group.isNullAt(i)
      i += 1
    }
    found
  }

  override def failed: Boolean = if (isPlain) element.failed else otherwise.failed

  override def error(slot: Int): SparkThrowable =
    if (!isPlain) otherwise.error(slot)
    else if (list.list.isNullAt(slot)) null
    else {
      val from = list.list.getArrayOffset(slot)
      val to = from + list.list.getArrayLength(slot)
      var found: SparkThrowable = null
      var i = from
      while (i < to && found == null) {
        found = element.error(i)
        i += 1
      }
      found
    }

  override def close(): Unit = {
    element.close()
    otherwise.close()
  }
}
