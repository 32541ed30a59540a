package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}
import io.github.variantshredded.read.vector.{StructView, ViewVector}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Returns a shredded object as `struct<...>`: a view of the columns of its fields. A batch with a
 * residual value is cast from rebuilt Variants, unless the value has no part in the struct.
 *
 * @param fields
 *   one column per field of the struct
 * @param byName
 *   the indexes of the fields in the order of their names, in which Spark reports errors
 * @param onlyShredded
 *   whether the struct needs nothing of a residual value beside a shredded object
 */
private[read] final class StructColumn(
    position: PositionVectors,
    obj: ObjectVectors,
    fields: Array[ValueColumn],
    byName: Array[Int],
    onlyShredded: Boolean,
    dataType: StructType,
    otherwise: RebuiltColumn
) extends ValueColumn {
  private var current: ColumnVector = _
  private var isPlain = true
  private var slots = 0

  private val presence = new ViewVector(BooleanType) {
    override def hasNull: Boolean = true
    override def numNulls: Int = (0 until slots).count(isNullAt)
    override def isNullAt(slot: Int): Boolean = !obj.isPresent(slot)
  }

  override def vector: ColumnVector = current

  override def startRowGroup(): Unit = fields.foreach(_.startRowGroup())

  override def startBatch(slots: Int): Unit = {
    this.slots = slots
    position.startBatch(slots)
    isPlain = !NestedColumns.hasResidual(position, slots) ||
      onlyShredded && !hasOtherThanObject(slots)
    if (isPlain) {
      fields.foreach(_.startBatch(slots))
      current = new StructView(dataType, presence, fields.map(_.vector))
    } else {
      otherwise.fill(slots)
      current = otherwise.vector
    }
  }

  private def hasOtherThanObject(slots: Int): Boolean = {
    val value = position.value
    var slot = 0
    while (slot < slots && (value.isNullAt(slot) || obj.isPresent(slot))) slot += 1
    slot < slots
  }

  override def failed: Boolean = if (isPlain) fields.exists(_.failed) else otherwise.failed

  override def error(slot: Int): SparkThrowable =
    if (!isPlain) otherwise.error(slot)
    else {
      var found: SparkThrowable = null
      var i = 0
      while (i < byName.length && found == null) {
        val field = fields(byName(i))
        if (field.failed) found = field.error(slot)
        i += 1
      }
      found
    }

  override def close(): Unit = {
    fields.foreach(_.close())
    otherwise.close()
  }
}
