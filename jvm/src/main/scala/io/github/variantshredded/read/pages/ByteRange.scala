package io.github.variantshredded.read.pages

/** Names the bytes `[start, end)` of a file. */
private[read] final case class ByteRange(start: Long, end: Long) {
  def size: Long = end - start

  /** Returns the parts of this range that are in none of the others. */
  def without(others: Seq[ByteRange]): Seq[ByteRange] = others
    .foldLeft(Seq(this)) { (left, other) =>
      left.flatMap { range =>
        if (other.end <= range.start || other.start >= range.end) Seq(range)
        else Seq(ByteRange(range.start, other.start), ByteRange(other.end, range.end))
      }
    }
    .filter(_.size > 0)
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
