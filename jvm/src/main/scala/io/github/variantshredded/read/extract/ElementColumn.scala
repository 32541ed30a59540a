package io.github.variantshredded.read.extract

import java.util.Arrays

import io.github.variantshredded.read.position.ElementGroups
import io.github.variantshredded.read.vector.GatherVector
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Returns the element `index` of a shredded array in each slot, as a view of the column of all
 * elements.
 *
 * @param groups
 *   checks that the group of the element is not null; None if it need not be checked
 */
private[read] final class ElementColumn(
    array: ShreddedList,
    index: Int,
    dataType: DataType,
    absent: Option[Boolean],
    groups: Option[ElementGroups]
) extends ValueColumn {
  import array.{element, list, required}

  private var indexes = new Array[Int](0)

  override def startRowGroup(): Unit = element.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    array.startElements(array.startBatch(slots))
    if (indexes.length < slots) indexes = new Array[Int](slots)
    Arrays.fill(indexes, 0, slots, -1)
    val arrays = list.list
    var slot = 0
    while (slot < slots) {
      if (!arrays.isNullAt(slot) && index < arrays.getArrayLength(slot)) {
        indexes(slot) = arrays.getArrayOffset(slot) + index
        if (groups.isDefined) groups.get.check(indexes(slot))
        if (required.isDefined) required.get.check(indexes(slot))
      }
      slot += 1
    }
    view.elements = element.vector
  }

  override def failed: Boolean = element.failed

  override def error(slot: Int): SparkThrowable =
    if (indexes(slot) < 0) null else element.error(indexes(slot))

  override def vector: ColumnVector = view

  override def close(): Unit = element.close()

  private object view extends GatherVector(dataType, absent) {
    override protected def index(slot: Int): Int = indexes(slot)
  }
}
