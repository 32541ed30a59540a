package io.github.variantshredded.write.cluster

import java.util.BitSet

import scala.collection.mutable

/**
 * Computes sort keys from marks, so that rows of the same shape follow one another.
 *
 * A mark is the more significant, the more leaf columns it says something about, and the more
 * evenly it divides the rows. So the rows form groups, and these form smaller groups; the columns
 * of a large object are null in one run or a few. For each mark, the more frequent case comes
 * first.
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

  // Equal marks are ordered by their number, so that nothing depends on the order of the rows.
  private val order: Array[Int] =
    (0 until marks).filter(tells(_) > 0).sortBy(mark => (-tells(mark), mark)).toArray

  private val isUsual: Array[Boolean] = order.map(mark => counts(mark) * 2L >= rows)

  /**
   * Returns the key, whose words are to be compared as unsigned numbers.
   *
   * @param residual
   *   rank of the residual fields, which is compared last
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
 * Ranks rows by their residual fields, for which each row has a number. The most frequent sets of
 * fields come first. Rare sets share the last rank, so that these rows keep their order.
 */
private[cluster] final class ResidualOrder(residuals: Iterator[Long]) {
  import ResidualOrder._

  private val ranks: mutable.LongMap[Rank] = {
    val found = mutable.LongMap.empty[Rank]
    residuals.foreach(residual => found.getOrElseUpdate(residual, new Rank).rows += 1)
    val frequent = found.toSeq.filter(_._2.rows >= LeastRows)
    frequent.sortBy { case (residual, rank) => (-rank.rows, residual) }.zipWithIndex.foreach {
      case ((_, rank), i) => rank.number = i
    }
    found
  }

  def rank(residual: Long): Int = ranks(residual).number
}

private object ResidualOrder {

  /** Least number of rows with the same residual fields that get a rank of their own. */
  private final val LeastRows = 8

  private final class Rank {
    var rows = 0
    var number: Int = Int.MaxValue
  }
}
