package io.github.variantshredded.read.decode

import io.github.variantshredded.read.vector.LeafArrays
import io.github.variantshredded.shredding.layout.VariantPosition
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * Holds the decoded columns of one position in a Variant: one slot per row or, below an array, one
 * slot per element.
 *
 * @param valueColumn
 *   the residual `value` column; null if the file has none or it was not requested
 * @param typed
 *   the `typed_value`; null if the file has none or it was not requested
 */
private[read] final class PositionVectors(
    val position: VariantPosition,
    val valueColumn: LeafVector,
    val typed: TypedVectors
) {
  private val arrays = if (valueColumn == null) null else new LeafArrays
  private var slots = 0
  private var isLoaded = false

  /** Increases with every batch. */
  var batch: Int = 0

  /** True if any slot of the current batch may have a value at this position. */
  var mayHaveValues: Boolean = true

  /** The residual `value` column of the current batch; null if all of it is null. */
  var value: WritableColumnVector = _

  /** The slots of [[value]] after `load`; null if all of it is null. */
  var residual: LeafArrays = _

  /** `typed` after `load`, if it is a primitive that is not all null; otherwise null. */
  var primitive: PrimitiveVectors = _

  /**
   * Starts a batch after its columns have been decoded.
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
    mayHaveValues = value != null || (typed != null && typed.mayHaveValues)
  }

  /** Loads the slots of the batch into arrays, once per batch, to rebuild values. */
  def load(): Unit = if (!isLoaded) load(slots)

  /** `typed`, or one of its branches, if that is an object; otherwise null. */
  val obj: ObjectVectors = branch { case obj: ObjectVectors => obj }

  /** `typed` if it is an object and the only branch; otherwise null. */
  val onlyObject: ObjectVectors = if (obj eq typed) obj else null

  /** `typed`, or one of its branches, if that is an array; otherwise null. */
  val list: ListVectors = branch { case list: ListVectors => list }

  /** The same position without its columns, for a reader that did not request them. */
  lazy val hidden: PositionVectors =
    new PositionVectors(position.only(None, None), null, null)

  private def branch[T >: Null](of: PartialFunction[TypedVectors, T]): T = typed match {
    case null                  => null
    case several: OneOfVectors => several.branches.collectFirst(of).orNull
    case one                   => of.lift(one).orNull
  }

  /** Returns true if a slot has a residual value. Requires `load`. */
  def hasResidual(slot: Int): Boolean = residual != null && !residual.isNullAt(slot)

  /** Returns true if a slot has a typed value. Requires `load`. */
  def hasTyped(slot: Int): Boolean = typed != null && typed.mayHaveValues && typed.nulls(slot) == 0

  private[read] def load(slots: Int): Unit = {
    isLoaded = true
    residual = if (value == null) null else arrays
    if (residual != null) residual.load(value, slots)
    if (typed != null && typed.mayHaveValues) typed.load(slots)
    primitive = typed match {
      case leaf: PrimitiveVectors if leaf.mayHaveValues => leaf
      case _                                            => null
    }
  }
}
