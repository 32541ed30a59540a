package io.github.variantshredded.read.pages

/** Names the bytes `[start, end)` of a file. */
private[read] final case class ByteRange(start: Long, end: Long) {
  def size: Long = end - start

  /** Returns the parts of this range that are in none of the others. */
  def without(others: Seq[ByteRange]): Seq[ByteRange] = {
    val sorted = others.sortBy(_.start)
    // What is left begins where one of the others, or one before it, ends.
    val starts = sorted.scanLeft(start)((from, other) => math.max(from, other.end))
    val ends = sorted.map(other => math.min(other.start, end)) :+ end
    starts.lazyZip(ends).map(ByteRange(_, _)).filter(_.size > 0)
  }
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
