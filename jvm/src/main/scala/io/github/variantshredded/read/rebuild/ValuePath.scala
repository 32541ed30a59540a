package io.github.variantshredded.read.rebuild

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.variant.VariantPath

/** Tracks the path of the value that is being written, for errors. */
private[read] final class ValuePath(maxDepth: Int) {
  private val indexes = new Array[Int](maxDepth + 2)
  private var depth = 0

  def clear(): Unit = depth = 0

  def enterArray(): Unit = depth += 1

  /** Moves to an element of the innermost array. */
  def atElement(index: Int): Unit = indexes(depth - 1) = index

  def leaveArray(): Unit = depth -= 1

  /** Returns the path of a position, with the current array indexes. */
  def pathOf(node: PositionVectors): String =
    VariantPath.withIndexes(node.position.path, indexes.take(depth).toSeq)

  /**
   * Returns the error `e` of the residual value of `node`, with its path from the root of the
   * Variant and its column.
   */
  def within(node: PositionVectors, e: VariantShreddedException): VariantShreddedException =
    ValuePath.within(node, pathOf(node), e)

  def location(node: PositionVectors): ErrorLocation = ErrorLocation(path = Some(pathOf(node)))

  def invalid(node: PositionVectors, reason: String): VariantShreddedException =
    VariantShreddedErrors.invalidShreddedValue(reason, location(node))
}

private[read] object ValuePath {

  /** The rule that a required value breaks if it is missing. */
  final val MissingValue = "Both 'value' and 'typed_value' are null where a value is required."

  /** The rule that an element of an array breaks if its group is null. */
  final val NullElement = "An element of an array is null, not a group."

  /**
   * Returns the error `e` of the residual value of `node`, which is at `path`, with its path from
   * the root of the Variant and its column.
   */
  def within(
      node: PositionVectors,
      path: String,
      e: VariantShreddedException
  ): VariantShreddedException = {
    val inner =
      e.location.path.map(below => path + below.stripPrefix(VariantPath.Root)).getOrElse(path)
    new VariantShreddedException(
      e.condition,
      e.reason,
      e.sqlState,
      e.location.copy(path = Some(inner), column = node.position.value.map(_.path)),
      e
    )
  }
}
