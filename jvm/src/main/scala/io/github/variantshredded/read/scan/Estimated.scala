package io.github.variantshredded.read.scan

import scala.util.control.NonFatal

/**
 * Evaluates a part of an estimate. Returns None if it fails, because an estimate must not make a
 * query fail.
 */
private[read] object Estimated {
  def apply[T](body: => T): Option[T] =
    try Some(body)
    catch {
      // A footer may claim sizes that do not fit into memory.
      case _: StackOverflowError | _: OutOfMemoryError => None
      case NonFatal(_)                                 => None
    }
}
