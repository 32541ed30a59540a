package io.github.variantshredded.read.decode

import io.github.variantshredded.shredding.layout.VariantPosition
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
