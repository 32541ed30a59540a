package io.github.variantshredded.read

import java.util.Arrays

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
  private val arrays = if (valueColumn == null) null else new LeafArrays
  private var slots = 0
  private var isLoaded = false

  /** Changes with every batch. */
  var batch: Int = 0

  /** Whether any slot of the current batch may hold something here. */
  var live: Boolean = true

  /** The untyped column of this batch; null where all of it is null. */
  var value: WritableColumnVector = _

  /** [[value]], once it is loaded. */
  var untyped: LeafArrays = _

  /** `typed`, once it is loaded, if it is a primitive that is not all null; else null. */
  var primitive: PrimitiveVectors = _

  /**
   * Called once a batch, after its columns are decoded.
   *
   * @param slots
   *   number of slots in the batch
   */
  def startBatch(slots: Int): Unit = {
    this.slots = slots
    start()
  }

  private[read] def start(): Unit = {
    isLoaded = false
    batch += 1
    value = if (valueColumn == null || valueColumn.isAllNull) null else valueColumn.values
    if (typed != null) typed.start()
    live = value != null || (typed != null && typed.live)
  }

  /** Takes over the slots of the batch, once, for the rebuild of values. */
  def load(): Unit = if (!isLoaded) load(slots)

  /** `typed`, or the branch of it, if that is an object; else null. */
  val obj: ObjectVectors = branch { case obj: ObjectVectors => obj }

  /** `typed` if it is an object, and not one branch of several; else null. */
  val onlyObject: ObjectVectors = if (obj eq typed) obj else null

  /** `typed`, or the branch of it, if that is an array; else null. */
  val list: ListVectors = branch { case list: ListVectors => list }

  /** The position as somebody sees it who asked for none of its columns. */
  lazy val hidden: PositionVectors =
    new PositionVectors(position.only(None, None), null, null)

  private def branch[T >: Null](of: PartialFunction[TypedVectors, T]): T = typed match {
    case null                  => null
    case several: OneOfVectors => several.branches.collectFirst(of).orNull
    case one                   => of.lift(one).orNull
  }

  /** Whether there is an untyped value in a slot; once loaded. */
  def hasUntyped(slot: Int): Boolean = untyped != null && !untyped.isNullAt(slot)

  /** Whether there is a typed value in a slot; once loaded. */
  def hasTyped(slot: Int): Boolean = typed != null && typed.live && typed.nulls(slot) == 0

  private[read] def load(slots: Int): Unit = {
    isLoaded = true
    untyped = if (value == null) null else arrays
    if (untyped != null) untyped.load(value, slots)
    if (typed != null && typed.live) typed.load(slots)
    primitive = typed match {
      case leaf: PrimitiveVectors if leaf.live => leaf
      case _                                   => null
    }
  }
}

/** The decoded `typed_value` of one position. */
private[read] sealed abstract class TypedVectors {

  /** Whether any slot of the current batch may be non-null. */
  def live: Boolean

  private[read] def start(): Unit

  /** Takes over the slots of the batch. */
  private[read] def load(slots: Int): Unit

  /** 1 where `typed_value` is null, else 0, by slot; once loaded. */
  def nulls: Array[Byte]
}

private[read] final class PrimitiveVectors(val typed: TypedValue.Primitive, val column: LeafVector)
    extends TypedVectors {
  var vector: WritableColumnVector = _
  var live: Boolean = true
  val arrays = new LeafArrays
  val code: Int = PrimitiveCode.of(typed)
  val scale: Int = PrimitiveCode.scaleOf(typed)

  override private[read] def start(): Unit = {
    vector = column.values
    live = !column.isAllNull
  }

  override private[read] def load(slots: Int): Unit = arrays.load(vector, slots)

  override def nulls: Array[Byte] = arrays.nulls
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

  /** Which slots have which fields; once loaded. */
  val present = new FieldBits(fields.length)

  /** How many more shapes pay in this batch. */
  var shapesLeft: Int = 0

  override def live: Boolean = true

  def isPresent(slot: Int): Boolean = presence.isPresent(slot)

  /** The same object, of which less is seen of some fields. */
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
      if (field.live) {
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

  /** Shapes made per batch: where almost every row has another, they do not pay. */
  private final val MaxShapes = 64
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

  /** Offsets and lengths; once loaded. */
  val arrays = new LeafArrays
  private val elementArrays = if (elementGroup == null) null else new LeafArrays

  override def live: Boolean = true

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

  /** Whether a null stands in place of the group of an element; once loaded. */
  def isNullElement(slot: Int): Boolean = elementArrays != null && elementArrays.isNullAt(slot)
}

/** Columns of several types. */
private[read] final class OneOfVectors(val branches: Array[TypedVectors]) extends TypedVectors {
  private var merged = new Array[Byte](0)

  override def live: Boolean = branches.exists(_.live)

  override private[read] def start(): Unit = branches.foreach(_.start())

  override private[read] def load(slots: Int): Unit = {
    if (merged.length < slots) merged = new Array[Byte](slots)
    Arrays.fill(merged, 0, slots, 1.toByte)
    branches.foreach { branch =>
      if (branch.live) {
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

  /** The branch that is non-null in a slot where one is; null where several are. */
  def only(slot: Int): TypedVectors = {
    val found = first(slot)
    if (branches.forall(branch => (branch eq found) || !isPresent(branch, slot))) found else null
  }

  /** The first branch that is non-null in a slot where one is. */
  def first(slot: Int): TypedVectors = branches.find(isPresent(_, slot)).get

  private def isPresent(branch: TypedVectors, slot: Int): Boolean =
    branch.live && branch.nulls(slot) == 0
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

  /** Takes over the slots of the batch. */
  private[read] def load(slots: Int): Unit

  /** 1 where the group is null, else 0, by slot; once loaded. */
  def nulls: Array[Byte]
}

private[read] object Presence {

  /** For a group that is in every row. */
  object Always extends Presence {
    @volatile private var none = new Array[Byte](4096)

    override def isPresent(slot: Int): Boolean = true

    override private[read] def load(slots: Int): Unit = synchronized {
      if (none.length < slots) none = new Array[Byte](math.max(slots, none.length * 2))
    }

    override def nulls: Array[Byte] = none
  }

  /** For a group of which nobody asks. */
  object Unknown extends Presence {
    override def isPresent(slot: Int): Boolean = unknown

    override private[read] def load(slots: Int): Unit = unknown

    override def nulls: Array[Byte] = unknown

    private def unknown = throw new IllegalStateException("definition levels were not asked for")
  }

  /** By the definition levels of a leaf below the group. */
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

  /** By the nulls of an assembled struct. */
  final class ByStruct(struct: WritableColumnVector) extends Presence {
    private val arrays = new LeafArrays

    override def isPresent(slot: Int): Boolean = !struct.isNullAt(slot)

    override private[read] def load(slots: Int): Unit = arrays.load(struct, slots)

    override def nulls: Array[Byte] = arrays.nulls
  }

  /** By the levels of a repeated leaf below the group: the first entry of a row tells. */
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
