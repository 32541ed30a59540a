package io.github.variantshredded.errors

import java.io.FileNotFoundException

/** Follows the causes of an exception. */
private[variantshredded] object Causes {

  // Causes can form a circle.
  private final val Max = 20

  /** Returns `error`, its cause, the cause of that, and so on. */
  def of(error: Throwable): Iterator[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(Max)

  /**
   * Returns whether a file is missing. The rename of S3A has an exception of its own for that, with
   * the cause in it.
   */
  def isOfMissingFile(error: Throwable): Boolean =
    of(error).exists(_.isInstanceOf[FileNotFoundException])
}
