package io.github.variantshredded.variant.encode

/** Computes the new length of an array that has to grow. */
private[variant] object GrowingArray {

  /** Length of the largest array that every JVM can allocate. */
  final val MaxLength: Int = Int.MaxValue - 8

  /**
   * Returns twice the current length or the required length, whichever is greater; `required` is at
   * most [[MaxLength]].
   */
  def capacity(current: Int, required: Int): Int =
    math.max(math.min(current.toLong * 2, MaxLength.toLong), required.toLong).toInt
}
