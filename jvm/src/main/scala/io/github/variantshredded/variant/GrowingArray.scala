package io.github.variantshredded.variant

/** How arrays grow. */
private[variant] object GrowingArray {

  /** Largest array that every JVM gives. */
  final val MaxLength: Int = Int.MaxValue - 8

  /**
   * Twice the current length or what is required, whichever is more; `required` is at most
   * [[MaxLength]].
   */
  def capacity(current: Int, required: Int): Int =
    math.max(math.min(current.toLong * 2, MaxLength.toLong), required.toLong).toInt
}
