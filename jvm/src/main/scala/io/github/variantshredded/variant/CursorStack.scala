package io.github.variantshredded.variant

import scala.collection.mutable

/**
 * Holds a stack of reused cursors, one for each container that is being walked through, outermost
 * first.
 *
 * @param make
 *   makes a cursor
 */
private[variantshredded] final class CursorStack[T](make: () => T) {
  private val cursors = mutable.ArrayBuffer.empty[T]
  private var depth = 0

  /** Opens a container within those that are open, and returns its cursor. */
  def push(): T = {
    if (depth == cursors.length) cursors += make()
    depth += 1
    cursors(depth - 1)
  }

  def pop(): Unit = depth -= 1

  /** Closes all containers. */
  def clear(): Unit = depth = 0
}
