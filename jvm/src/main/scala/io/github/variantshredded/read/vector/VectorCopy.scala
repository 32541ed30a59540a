package io.github.variantshredded.read.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/** Copies a decoded column slot by slot, into a vector whose slots may then be changed. */
private[read] object VectorCopy {

  def copy(from: WritableColumnVector, to: WritableColumnVector, slots: Int): Unit =
    from.dataType match {
      case BooleanType => loop(from, to, slots)(slot => to.putBoolean(slot, from.getBoolean(slot)))
      case IntegerType | DateType => copyInts(from, to, slots)
      case FloatType  => loop(from, to, slots)(slot => to.putFloat(slot, from.getFloat(slot)))
      case DoubleType => copyDoubles(from, to, slots)
      case BinaryType | StringType => copyBytes(from, to, slots)
      case _                       => copyLongs(from, to, slots)
    }

  private def loop(from: WritableColumnVector, to: WritableColumnVector, slots: Int)(
      put: Int => Unit
  ): Unit = {
    var slot = 0
    while (slot < slots) {
      if (from.isNullAt(slot)) to.putNull(slot) else put(slot)
      slot += 1
    }
  }

  private def copyInts(from: WritableColumnVector, to: WritableColumnVector, slots: Int): Unit = {
    var slot = 0
    while (slot < slots) {
      if (from.isNullAt(slot)) to.putNull(slot) else to.putInt(slot, from.getInt(slot))
      slot += 1
    }
  }

  private def copyLongs(from: WritableColumnVector, to: WritableColumnVector, slots: Int): Unit = {
    var slot = 0
    while (slot < slots) {
      if (from.isNullAt(slot)) to.putNull(slot) else to.putLong(slot, from.getLong(slot))
      slot += 1
    }
  }

  private def copyDoubles(
      from: WritableColumnVector,
      to: WritableColumnVector,
      slots: Int
  ): Unit = {
    var slot = 0
    while (slot < slots) {
      if (from.isNullAt(slot)) to.putNull(slot) else to.putDouble(slot, from.getDouble(slot))
      slot += 1
    }
  }

  private def copyBytes(from: WritableColumnVector, to: WritableColumnVector, slots: Int): Unit = {
    val slice = new BinarySlice
    var slot = 0
    while (slot < slots) {
      if (from.isNullAt(slot)) to.putNull(slot)
      else {
        slice.read(from, slot)
        to.putByteArray(slot, slice.bytes, slice.start, slice.length)
      }
      slot += 1
    }
  }
}
