package io.github.variantshredded.write.cluster

import java.util.BitSet

import scala.collection.mutable

/**
 * Turns marks into keys whose order brings rows of one shape together.
 *
 * Of all marks those come first that tell most: on the leaf columns of a whole object before those on
 * one, and the more evenly they part the rows the sooner. So the rows fall into groups, these into
 * smaller ones, and a large object's columns are in one run or a few. In each mark the more frequent
 * case comes first.
 */
private[cluster] final class ShapeOrder(marksOf: Seq[BitSet], weight: Int => Int, marks: Int) {

  private val counts = {
    val counts = new Array[Int](marks)
    marksOf.foreach { set =>
      var i = set.nextSetBit(0)
      while (i >= 0) {
        counts(i) += 1
        i = set.nextSetBit(i + 1)
      }
    }
    counts
  }

  private val rows = marksOf.size

  private def tells(mark: Int): Long =
    weight(mark).toLong * math.min(counts(mark), rows - counts(mark))

  // Ties go to the upper mark, so that nothing depends on the order of the rows.
  private val order: Array[Int] =
    (0 until marks).filter(tells(_) > 0).sortBy(mark => (-tells(mark), mark)).toArray

  private val isUsual: Array[Boolean] = order.map(mark => counts(mark) * 2L >= rows)

  /**
   * The key, to be compared word by word as unsigned numbers.
   *
   * @param residual
   *   place by what is left for `value`, which is looked at last
   */
  def key(set: BitSet, residual: Int): Array[Long] = {
    val key = new Array[Long]((order.length + 63) / 64 + 1)
    key(key.length - 1) = residual.toLong
    var i = 0
    while (i < order.length) {
      if (set.get(order(i)) != isUsual(i)) key(i >>> 6) |= 1L << (63 - (i & 63))
      i += 1
    }
    key
  }
}

/**
 * The order of what is left for `value`, by a number that stands for the names of its fields: the
 * most frequent first, and those of few rows together, in the order of the rows, behind them.
 */
private[cluster] final class ResidualOrder(residuals: Iterator[Long]) {
  import ResidualOrder._

  private val places: mutable.LongMap[Place] = {
    val found = mutable.LongMap.empty[Place]
    residuals.foreach(residual => found.getOrElseUpdate(residual, new Place).rows += 1)
    val frequent = found.toSeq.filter(_._2.rows >= LeastRows)
    frequent.sortBy { case (residual, place) => (-place.rows, residual) }.zipWithIndex.foreach {
      case ((_, place), i) => place.number = i
    }
    found
  }

  def place(residual: Long): Int = places(residual).number
}

private object ResidualOrder {

  /** Rows that have a place of their own if their fields are the same. */
  private final val LeastRows = 8

  private final class Place {
    var rows = 0
    var number: Int = Int.MaxValue
  }
}
