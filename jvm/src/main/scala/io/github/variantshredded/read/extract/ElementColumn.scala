package io.github.variantshredded.read.extract

import java.util.Arrays

import io.github.variantshredded.read.decode.{ListVectors, PositionVectors}
import io.github.variantshredded.read.position.{ElementGroups, RequiredValues, SlotRows}
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
 * @param required
 *   checks that the element has a value; None if an element without a value is a Variant null
 */
private[read] final class ElementColumn(
    position: PositionVectors,
    list: ListVectors,
    index: Int,
    element: ValueColumn,
    rows: SlotRows,
    dataType: DataType,
    absent: Option[Boolean],
    groups: Option[ElementGroups],
    required: Option[RequiredValues]
) extends ValueColumn {
  private var indexes = new Array[Int](0)

  override def startRowGroup(): Unit = element.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    position.startBatch(slots)
    rows.startBatch(slots)
    val elements = SlotRows.elements(list, slots)
    element.startBatch(elements)
    required.foreach(_.startBatch(elements))
    if (indexes.length < slots) indexes = new Array[Int](slots)
    Arrays.fill(indexes, 0, slots, -1)
    var slot = 0
    while (slot < slots) {
      if (!list.list.isNullAt(slot) && index < list.list.getArrayLength(slot)) {
        indexes(slot) = list.list.getArrayOffset(slot) + index
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
