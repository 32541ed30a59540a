package io.github.variantshredded.read.pages

/** The bytes `[start, end)` of a file. */
private[read] final case class ByteRange(start: Long, end: Long) {
  def size: Long = end - start
}

private[read] object ByteRange {

  /** Returns the same bytes as ascending ranges that neither overlap nor touch. */
  def merged(ranges: Seq[ByteRange]): Vector[ByteRange] =
    ranges.filter(_.size > 0).sortBy(_.start).foldLeft(Vector.empty[ByteRange]) {
      case (before :+ last, next) if next.start <= last.end =>
        before :+ ByteRange(last.start, math.max(last.end, next.end))
      case (before, next) => before :+ next
    }
}
