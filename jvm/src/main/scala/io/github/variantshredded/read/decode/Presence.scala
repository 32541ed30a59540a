package io.github.variantshredded.read.decode

import io.github.variantshredded.read.vector.LeafArrays
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Says in which slots the group of a shredded object is not null. */
private[read] abstract class Presence {
  def isPresent(slot: Int): Boolean
  def startBatch(): Unit = ()

  /** Loads the slots of the batch into arrays. */
  private[read] def load(slots: Int): Unit

  /** Returns 1 for each slot in which the group is null, else 0. Requires `load`. */
  def nulls: Array[Byte]
}

private[read] object Presence {

  /** Stands for a required group, which is not null in any slot. */
  object Always extends Presence {
    @volatile private var none = new Array[Byte](4096)

    override def isPresent(slot: Int): Boolean = true

    override private[read] def load(slots: Int): Unit = synchronized {
      if (none.length < slots) none = new Array[Byte](math.max(slots, none.length * 2))
    }

    override def nulls: Array[Byte] = none
  }

  /** Stands for the presence of a group that was not requested. Every call fails. */
  object Unknown extends Presence {
    override def isPresent(slot: Int): Boolean = unknown

    override private[read] def load(slots: Int): Unit = unknown

    override def nulls: Array[Byte] = unknown

    private def unknown = throw new IllegalStateException("definition levels were not asked for")
  }

  /** Derives presence from the definition levels of a leaf column below the group. */
  final class ByLevels(levels: WritableColumnVector, definition: Int) extends Presence {
    private val arrays = new LeafArrays
    private var absent = new Array[Byte](0)

    override def isPresent(slot: Int): Boolean = levels.getInt(slot) >= definition

    override private[read] def load(slots: Int): Unit = {
      arrays.load(levels, slots)
      if (absent.length < slots) absent = new Array[Byte](slots)
      val found = arrays.ints
      var slot = 0
      while (slot < slots) {
        absent(slot) = ((found(slot) - definition) >>> 31).toByte
        slot += 1
      }
    }

    override def nulls: Array[Byte] = absent
  }

  /** Derives presence from the nulls of an assembled struct. */
  final class ByStruct(struct: WritableColumnVector) extends Presence {
    private val arrays = new LeafArrays

    override def isPresent(slot: Int): Boolean = !struct.isNullAt(slot)

    override private[read] def load(slots: Int): Unit = arrays.load(struct, slots)

    override def nulls: Array[Byte] = arrays.nulls
  }

  /**
   * Derives presence from the levels of a repeated leaf column below the group: from the first
   * entry of each row.
   */
  final class ByRepeatedLevels(
      repetition: WritableColumnVector,
      levels: WritableColumnVector,
      definition: Int,
      capacity: Int
  ) extends Presence {
    private val absent = new Array[Byte](capacity)

    override def isPresent(slot: Int): Boolean = absent(slot) == 0

    override def startBatch(): Unit = {
      var row = 0
      var i = 0
      val entries = levels.getElementsAppended
      while (i < entries) {
        if (repetition.getInt(i) == 0) {
          absent(row) = if (levels.getInt(i) >= definition) 0 else 1
          row += 1
        }
        i += 1
      }
    }

    override private[read] def load(slots: Int): Unit = ()

    override def nulls: Array[Byte] = absent
  }
}
