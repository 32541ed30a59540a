package io.github.variantshredded.errors

/** Follows the causes of an exception. */
private[variantshredded] object Causes {

  // Causes can form a circle.
  private final val Most = 20

  /** Returns `error`, its cause, the cause of that, and so on. */
  def of(error: Throwable): Iterator[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(Most)
}
