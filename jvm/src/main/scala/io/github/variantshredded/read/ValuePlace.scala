package io.github.variantshredded.read

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors, VariantShreddedException}

/** Where in a Variant the value that is being written lies, for errors. */
private[read] final class ValuePlace(maxDepth: Int) {
  private val indexes = new Array[Int](maxDepth + 2)
  private var depth = 0

  def clear(): Unit = depth = 0

  def enterArray(): Unit = depth += 1

  /** Moves to an element of the innermost array. */
  def atElement(index: Int): Unit = indexes(depth - 1) = index

  def leaveArray(): Unit = depth -= 1

  /** The path of a position, with its array indexes filled in. */
  def pathOf(node: PositionVectors): String = {
    var path = node.position.path
    var i = 0
    while (i < depth) {
      path = path.replaceFirst("\\[\\*\\]", s"[${indexes(i)}]")
      i += 1
    }
    path
  }

  def location(node: PositionVectors): ErrorLocation = ErrorLocation(path = Some(pathOf(node)))

  def invalid(node: PositionVectors, reason: String): VariantShreddedException =
    VariantShreddedErrors.invalidShreddedValue(reason, location(node))
}
