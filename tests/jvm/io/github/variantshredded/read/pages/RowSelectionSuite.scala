package io.github.variantshredded.read.pages

import scala.collection.immutable.SortedSet
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** The operations on row selections, compared with those on sets of row numbers. */
class RowSelectionSuite extends AnyFunSuite {

  /** Runs as (first row, row behind the last). */
  private def selection(runs: (Long, Long)*): RowSelection = {
    val builder = new RowSelection.Builder
    runs.foreach { case (from, until) => builder.add(from, until) }
    builder.result()
  }

  private def runs(selection: RowSelection): Seq[(Long, Long)] =
    (0 until selection.runs).map(run => selection.start(run) -> selection.end(run))

  private def rows(selection: RowSelection): Seq[Long] = {
    val found = Vector.newBuilder[Long]
    val rows = selection.iterator
    while (rows.hasNext) found += rows.nextLong()
    found.result()
  }

  test("the empty selection has no rows") {
    assert(RowSelection.empty.isEmpty)
    assert(RowSelection.empty.size === 0)
    assert(RowSelection.empty.runs === 0)
    assert(!RowSelection.empty.iterator.hasNext)
    assertThrows[NoSuchElementException](RowSelection.empty.iterator.nextLong())
    assert(selection().isEmpty)
    assert(RowSelection.all(0).isEmpty)
    assert(RowSelection.range(7, 7).isEmpty)
    assert(RowSelection.range(8, 7).isEmpty)
  }

  test("the selection of all rows is one run from row 0") {
    assert(runs(RowSelection.all(5)) === Seq(0L -> 5L))
    assert(rows(RowSelection.all(5)) === Seq(0, 1, 2, 3, 4))
    assert(RowSelection.all(1L << 40).size === 1L << 40)
  }

  test("the iterator ends after the last row") {
    val rows = selection((2, 4), (6, 7)).iterator
    assert(Seq.fill(3)(rows.nextLong()) === Seq(2, 3, 6))
    assert(!rows.hasNext)
    assertThrows[NoSuchElementException](rows.nextLong())
  }

  test("the builder joins runs that touch or overlap") {
    assert(runs(selection((0, 3), (3, 5))) === Seq(0L -> 5L))
    assert(runs(selection((0, 3), (2, 5))) === Seq(0L -> 5L))
    assert(runs(selection((0, 9), (2, 5))) === Seq(0L -> 9L))
    assert(runs(selection((0, 3), (0, 3))) === Seq(0L -> 3L))
    assert(runs(selection((0, 3), (4, 5))) === Seq(0L -> 3L, 4L -> 5L))
  }

  test("the builder takes more runs than it has room for at first") {
    val many = (0L until 100L).map(i => 3 * i -> (3 * i + 2))
    assert(runs(selection(many: _*)) === many)
  }

  test("a change of the builder does not change the selection that it gave before") {
    val builder = new RowSelection.Builder
    builder.add(0, 2)
    val first = builder.result()
    builder.add(2, 4)
    assert(runs(first) === Seq(0L -> 2L))
    assert(runs(builder.result()) === Seq(0L -> 4L))
  }

  test("the union of adjacent runs is one run") {
    val joined = selection((0, 2), (4, 6)).union(selection((2, 4), (6, 8)))
    assert(runs(joined) === Seq(0L -> 8L))
  }

  test("the intersection of runs that only touch is empty") {
    assert(selection((0, 2), (4, 6)).intersect(selection((2, 4), (6, 8))).isEmpty)
  }

  test("take and drop cut within a run, and between runs") {
    val some = selection((10, 13), (20, 22))
    assert(runs(some.take(2)) === Seq(10L -> 12L))
    assert(runs(some.take(3)) === Seq(10L -> 13L))
    assert(runs(some.take(4)) === Seq(10L -> 13L, 20L -> 21L))
    assert(runs(some.drop(2)) === Seq(12L -> 13L, 20L -> 22L))
    assert(runs(some.drop(3)) === Seq(20L -> 22L))
    assert(runs(some.drop(4)) === Seq(21L -> 22L))
    assert(some.take(0).isEmpty && some.drop(5).isEmpty && some.drop(6).isEmpty)
  }

  test("a range overlaps a run only if it has one of its rows") {
    val some = selection((10, 13), (20, 22))
    assert(!some.overlaps(0, 10) && some.overlaps(0, 11))
    assert(some.overlaps(12, 13) && some.overlaps(12, 20))
    assert(!some.overlaps(13, 20) && some.overlaps(13, 21))
    assert(some.overlaps(21, 22) && !some.overlaps(22, 100))
    assert(some.overlaps(0, 100))
    assert(!RowSelection.empty.overlaps(0, 100))
  }

  test("the text of a selection has the first and the last row of each run") {
    assert(selection((0, 1), (4, 7)).toString === "[0-0, 4-6]")
    assert(RowSelection.empty.toString === "[]")
  }

  private val universe = 40L

  /** A set of rows below `universe`, from empty to full. */
  test("the next change") {
    val some = selection((2, 4), (6, 7))
    val changes = (0L until 9L).map(some.nextChange)
    assert(changes === Seq(2, 2, 4, 4, 6, 6, 7, Long.MaxValue, Long.MaxValue))
    assert(RowSelection.empty.nextChange(0) === Long.MaxValue)
  }

  private def randomRows(rng: Random): SortedSet[Long] = {
    val share = rng.nextInt(5) / 4.0
    SortedSet.from((0L until universe).filter(_ => rng.nextDouble() < share))
  }

  /** Adds the rows in pieces, which may be parts of one run. */
  private def inPieces(rows: SortedSet[Long], rng: Random): RowSelection = {
    val builder = new RowSelection.Builder
    var left = rows.toList
    while (left.nonEmpty) {
      val run = left.zipWithIndex.takeWhile { case (row, i) => row == left.head + i }.map(_._1)
      val piece = run.take(1 + rng.nextInt(run.size))
      builder.add(piece.head, piece.last + 1)
      left = left.drop(piece.size)
    }
    builder.result()
  }

  /** That the selection has these rows, in runs that are as long as possible. */
  private def check(selection: RowSelection, expected: SortedSet[Long], clue: => String): Unit = {
    assert(rows(selection) === expected.toSeq, clue)
    assert(selection.size === expected.size, clue)
    assert(selection.isEmpty === expected.isEmpty, clue)
    val found = runs(selection)
    assert(found.forall { case (from, until) => from < until }, clue)
    assert(found.zip(found.drop(1)).forall { case (a, b) => a._2 < b._1 }, clue)
  }

  test("random selections: every operation gives the rows that it gives for sets") {
    (0 until 200).foreach { seed =>
      val rng = new Random(seed)
      val (a, b) = (randomRows(rng), randomRows(rng))
      val (first, second) = (inPieces(a, rng), inPieces(b, rng))
      val clue = s"seed $seed: $first and $second"
      check(first, a, clue)
      check(first.union(second), a | b, clue)
      check(first.intersect(second), a & b, clue)
      (0 to universe.toInt + 1).foreach { count =>
        check(first.take(count.toLong), a.take(count), s"$clue, take $count")
        check(first.drop(count.toLong), a.drop(count), s"$clue, drop $count")
      }
      Seq.fill(20)((rng.nextLong(universe), rng.nextLong(universe))).foreach { case (x, y) =>
        val (from, until) = (math.min(x, y), math.max(x, y) + 1)
        val clueOfRange = s"$clue, $from until $until"
        assert(first.overlaps(from, until) === a.range(from, until).nonEmpty, clueOfRange)
        check(RowSelection.range(from, until), SortedSet.from(from until until), clueOfRange)
      }
    }
  }
}
