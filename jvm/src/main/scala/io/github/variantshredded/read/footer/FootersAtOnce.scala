package io.github.variantshredded.read.footer

/** Says how many footers are read at the same time. */
private[footer] object FootersAtOnce {

  /** The number of footers that are read at the same time, however large they are. */
  final val Few = 8

  /** The maximum number of footers that are read at the same time. */
  final val Max = 64

  /** The part of the heap that all footers may take while they are read. */
  private final val PartOfHeap = 16

  /** How many times its bytes a footer takes while it is parsed, estimated. */
  private final val Parsed = 10

  /**
   * Returns how many footers are read at the same time.
   *
   * @param heap
   *   the bytes of the heap
   * @param footer
   *   the bytes of a footer
   */
  def most(heap: Long, footer: Int): Int = {
    val fit = heap / PartOfHeap / (footer.toLong * Parsed)
    math.max(Few.toLong, math.min(Max.toLong, fit)).toInt
  }
}
