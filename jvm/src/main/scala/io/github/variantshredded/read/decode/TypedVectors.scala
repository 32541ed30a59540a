package io.github.variantshredded.read.decode

import java.util.Arrays

import io.github.variantshredded.read.vector.LeafArrays
import io.github.variantshredded.shredding.layout.TypedValue
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Holds the decoded `typed_value` of one position. */
private[read] sealed abstract class TypedVectors {

  /** Returns true if any slot of the current batch may be non-null. */
  def mayHaveValues: Boolean

  private[read] def start(): Unit

  /** Loads the slots of the batch into arrays. */
  private[read] def load(slots: Int): Unit

  /** Returns 1 for each slot in which `typed_value` is null, else 0. Requires `load`. */
  def nulls: Array[Byte]
}

/** Holds the decoded values of a `typed_value` that is one leaf column. */
private[read] final class PrimitiveVectors(val typed: TypedValue.Primitive, val column: LeafVector)
    extends TypedVectors {
  var vector: WritableColumnVector = _
  var mayHaveValues: Boolean = true
  val arrays = new LeafArrays
  val code: Int = PrimitiveCode.of(typed)
  val scale: Int = PrimitiveCode.scaleOf(typed)

  override private[read] def start(): Unit = {
    vector = column.values
    mayHaveValues = !column.isAllNull
  }

  override private[read] def load(slots: Int): Unit = arrays.load(vector, slots)

  override def nulls: Array[Byte] = arrays.nulls
}

/**
 * Holds a shredded object.
 *
 * @param fields
 *   the fields, in the order of Spark's Variant objects: by name, as java.lang.String compares
 * @param names
 *   the names in UTF-8, in the order of `fields`
 * @param ordinals
 *   for each field, its index in the list of all shredded fields of the Variant
 * @param nodeIndex
 *   the index of this object among all shredded objects of the Variant
 */
private[read] final class ObjectVectors(
    val fields: Array[PositionVectors],
    val names: Array[Array[Byte]],
    val ordinals: Array[Int],
    val nodeIndex: Int,
    presence: Presence
) extends TypedVectors {

  /** The fields that each slot has. Requires `load`. */
  val present = new FieldBits(fields.length)

  /** How many more object shapes may be made in this batch. */
  var shapesLeft: Int = 0

  override def mayHaveValues: Boolean = true

  def isPresent(slot: Int): Boolean = presence.isPresent(slot)

  /** Returns the same object with other fields, of which some have fewer columns. */
  def withFields(fewer: Array[PositionVectors]): ObjectVectors =
    new ObjectVectors(fewer, names, ordinals, nodeIndex, presence)

  override private[read] def start(): Unit = {
    presence.startBatch()
    var i = 0
    while (i < fields.length) {
      fields(i).start()
      i += 1
    }
  }

  override private[read] def load(slots: Int): Unit = {
    presence.load(slots)
    present.start(slots)
    var i = 0
    while (i < fields.length) {
      val field = fields(i)
      if (field.mayHaveValues) {
        field.load(slots)
        present.add(i, field)
      }
      i += 1
    }
    present.finish()
    shapesLeft = ObjectVectors.MaxShapes
  }

  override def nulls: Array[Byte] = presence.nulls
}

private object ObjectVectors {

  /**
   * The maximum number of shapes made per batch. If almost every row has a shape of its own, shapes
   * do not pay.
   */
  private final val MaxShapes = 64
}

/**
 * Holds a shredded array: offsets and lengths that refer to the slots of its element.
 *
 * @param elementGroup
 *   the element groups if the file declares them optional, so that one may be null; otherwise null
 */
private[read] final class ListVectors(
    val list: WritableColumnVector,
    val elementGroup: WritableColumnVector,
    val element: PositionVectors
) extends TypedVectors {

  /** The offsets and lengths. Requires `load`. */
  val arrays = new LeafArrays
  private val elementArrays = if (elementGroup == null) null else new LeafArrays

  override def mayHaveValues: Boolean = true

  override private[read] def start(): Unit = element.start()

  override private[read] def load(slots: Int): Unit = {
    arrays.load(list, slots)
    var elements = 0
    var slot = 0
    while (slot < slots) {
      if (!arrays.isNullAt(slot)) {
        elements = math.max(elements, arrays.offsets(slot) + arrays.lengths(slot))
      }
      slot += 1
    }
    if (elementArrays != null) elementArrays.load(elementGroup, elements)
    element.load(elements)
  }

  override def nulls: Array[Byte] = arrays.nulls

  /** Returns true if the group of an element is null. Requires `load`. */
  def isNullElement(slot: Int): Boolean = elementArrays != null && elementArrays.isNullAt(slot)
}

/** Holds the typed columns of a position that has several, each of another type. */
private[read] final class OneOfVectors(val branches: Array[TypedVectors]) extends TypedVectors {
  private var merged = new Array[Byte](0)

  override def mayHaveValues: Boolean = branches.exists(_.mayHaveValues)

  override private[read] def start(): Unit = branches.foreach(_.start())

  override private[read] def load(slots: Int): Unit = {
    if (merged.length < slots) merged = new Array[Byte](slots)
    Arrays.fill(merged, 0, slots, 1.toByte)
    branches.foreach { branch =>
      if (branch.mayHaveValues) {
        branch.load(slots)
        val nulls = branch.nulls
        var slot = 0
        while (slot < slots) {
          merged(slot) = (merged(slot) & nulls(slot)).toByte
          slot += 1
        }
      }
    }
  }

  override def nulls: Array[Byte] = merged

  /**
   * Returns the only branch that is not null in a slot, or null if several are. At least one must
   * be.
   */
  def only(slot: Int): TypedVectors = {
    val found = first(slot)
    if (branches.forall(branch => (branch eq found) || !isPresent(branch, slot))) found else null
  }

  /** Returns the first branch that is not null in a slot. At least one must be. */
  def first(slot: Int): TypedVectors = branches.find(isPresent(_, slot)).get

  private def isPresent(branch: TypedVectors, slot: Int): Boolean =
    branch.mayHaveValues && branch.nulls(slot) == 0
}
