package io.github.variantshredded.variant

import scala.collection.mutable

/**
 * Cursors of the containers that are being walked through, outermost first; they are reused.
 *
 * @param make
 *   makes one
 */
private[variantshredded] final class CursorStack[T](make: () => T) {
  private val cursors = mutable.ArrayBuffer.empty[T]
  private var depth = 0

  /** The cursor for a container within those that are open. */
  def push(): T = {
    if (depth == cursors.length) cursors += make()
    depth += 1
    cursors(depth - 1)
  }

  def pop(): Unit = depth -= 1

  /** Closes all. */
  def clear(): Unit = depth = 0
}
