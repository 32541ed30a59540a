package io.github.variantshredded.read.rebuild

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.decode.PositionVectors

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

  /** An error in the untyped value of `node`, with the place of that. */
  def within(node: PositionVectors, e: VariantShreddedException): VariantShreddedException =
    ValuePlace.within(node, pathOf(node), e)

  def location(node: PositionVectors): ErrorLocation = ErrorLocation(path = Some(pathOf(node)))

  def invalid(node: PositionVectors, reason: String): VariantShreddedException =
    VariantShreddedErrors.invalidShreddedValue(reason, location(node))
}

private[read] object ValuePlace {

  /** An error in the untyped value of `node`, which is at `path`. */
  def within(
      node: PositionVectors,
      path: String,
      e: VariantShreddedException
  ): VariantShreddedException = {
    val inner = e.location.path.map(below => path + below.stripPrefix("$")).getOrElse(path)
    new VariantShreddedException(
      e.condition,
      e.reason,
      e.sqlState,
      e.location.copy(path = Some(inner), column = node.position.value.map(_.path)),
      e
    )
  }
}
