package io.github.variantshredded.read

import io.github.variantshredded.shredding.layout.{TypedValue, VariantPosition}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * The decoded columns of one Variant position, one slot a row (or, below an array, one slot an
 * element).
 *
 * @param value
 *   the untyped column; null where the file has none or it is null throughout the row group
 * @param element
 *   for an element of an array whose group the file declares optional: tells null elements
 */
private[read] final class PositionVectors(
    val position: VariantPosition,
    val valueColumn: LeafVector,
    val typed: TypedVectors
) {

  /** Whether any slot of the current batch may hold something here. */
  var live: Boolean = true

  /** The untyped column of this batch; null where all of it is null. */
  var value: WritableColumnVector = _

  /** Called once a batch, after its columns are decoded and before a value is rebuilt. */
  def startBatch(): Unit = {
    value = if (valueColumn == null || valueColumn.isAllNull) null else valueColumn.values
    if (typed != null) typed.startBatch()
    live = value != null || (typed != null && typed.live)
  }
}

/** The decoded `typed_value` of one position. */
private[read] sealed abstract class TypedVectors {

  /** Whether any slot of the current batch may be non-null. */
  def live: Boolean
  def startBatch(): Unit
}

private[read] final class PrimitiveVectors(val typed: TypedValue.Primitive, val column: LeafVector)
    extends TypedVectors {
  var vector: WritableColumnVector = _
  var live: Boolean = true
  val code: Int = PrimitiveCode.of(typed)
  val scale: Int = PrimitiveCode.scaleOf(typed)

  override def startBatch(): Unit = {
    vector = column.values
    live = !column.isAllNull
  }
}

/**
 * A shredded object.
 *
 * @param fields
 *   in the order of Spark's objects: by name, as java.lang.String compares
 * @param names
 *   UTF-8 of the names, in that order
 * @param ordinals
 *   place of each field in the list of all shredded fields of the Variant, in that order
 * @param nodeIndex
 *   place of this object among all shredded objects of the Variant
 */
private[read] final class ObjectVectors(
    val fields: Array[PositionVectors],
    val names: Array[Array[Byte]],
    val ordinals: Array[Int],
    val nodeIndex: Int,
    presence: Presence
) extends TypedVectors {

  /** Places in `fields` of those that are live in the current batch, ascending. */
  val liveFields: Array[Int] = new Array[Int](fields.length)
  var liveCount: Int = 0

  override def live: Boolean = true

  def isPresent(slot: Int): Boolean = presence.isPresent(slot)

  override def startBatch(): Unit = {
    presence.startBatch()
    liveCount = 0
    var i = 0
    while (i < fields.length) {
      val field = fields(i)
      field.startBatch()
      if (field.live) {
        liveFields(liveCount) = i
        liveCount += 1
      }
      i += 1
    }
  }
}

/**
 * A shredded array: offsets and lengths into the slots of its element.
 *
 * @param elementGroup
 *   the element groups, null where the file has a null in place of a group
 */
private[read] final class ListVectors(
    val list: WritableColumnVector,
    val elementGroup: WritableColumnVector,
    val element: PositionVectors
) extends TypedVectors {
  override def live: Boolean = true

  override def startBatch(): Unit = element.startBatch()
}

/** One decoded leaf. */
private[read] trait LeafVector {
  def values: WritableColumnVector

  /** Whether every slot of the current batch is null. */
  def isAllNull: Boolean
}

/** Tells in which slots the group of a shredded object is non-null. */
private[read] abstract class Presence {
  def isPresent(slot: Int): Boolean
  def startBatch(): Unit = ()
}

private[read] object Presence {

  /** For a group that is in every row. */
  object Always extends Presence {
    override def isPresent(slot: Int): Boolean = true
  }

  /** For a group of which nobody asks. */
  object Unknown extends Presence {
    override def isPresent(slot: Int): Boolean =
      throw new IllegalStateException("definition levels were not asked for")
  }

  /** By the definition levels of a leaf below the group. */
  final class ByLevels(levels: WritableColumnVector, definition: Int) extends Presence {
    override def isPresent(slot: Int): Boolean = levels.getInt(slot) >= definition
  }

  /** By the nulls of an assembled struct. */
  final class ByStruct(struct: WritableColumnVector) extends Presence {
    override def isPresent(slot: Int): Boolean = !struct.isNullAt(slot)
  }

  /** By the levels of a repeated leaf below the group: the first entry of a row tells. */
  final class ByRepeatedLevels(
      repetition: WritableColumnVector,
      levels: WritableColumnVector,
      definition: Int,
      capacity: Int
  ) extends Presence {
    private val present = new Array[Boolean](capacity)

    override def isPresent(slot: Int): Boolean = present(slot)

    override def startBatch(): Unit = {
      var row = 0
      var i = 0
      val entries = levels.getElementsAppended
      while (i < entries) {
        if (repetition.getInt(i) == 0) {
          present(row) = levels.getInt(i) >= definition
          row += 1
        }
        i += 1
      }
    }
  }
}
