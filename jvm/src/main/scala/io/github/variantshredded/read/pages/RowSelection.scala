package io.github.variantshredded.read.pages

import java.util.PrimitiveIterator

/**
 * Represents a selection of rows of a row group, as runs of consecutive rows.
 *
 * @param starts
 *   the first row of each run, ascending
 * @param ends
 *   the row after each run; less than the next start
 */
private[read] final class RowSelection private (starts: Array[Long], ends: Array[Long]) {

  def runs: Int = starts.length

  def start(run: Int): Long = starts(run)

  /** Returns the row after the last row of a run. */
  def end(run: Int): Long = ends(run)

  val size: Long = {
    var rows = 0L
    var run = 0
    while (run < starts.length) {
      rows += ends(run) - starts(run)
      run += 1
    }
    rows
  }

  def isEmpty: Boolean = starts.isEmpty

  /** Returns true if any row in `[from, until)` is selected. */
  def overlaps(from: Long, until: Long): Boolean = {
    val run = runEndingAfter(from)
    run < starts.length && starts(run) < until
  }

  /**
   * Returns the next row after `row` that is selected if `row` is not, or not selected if `row` is;
   * `Long.MaxValue` if there is none.
   */
  def nextChange(row: Long): Long = {
    val run = runEndingAfter(row)
    if (run == starts.length) Long.MaxValue else if (row < starts(run)) starts(run) else ends(run)
  }

  /** Returns the first run that ends after a row; the number of runs if there is none. */
  private def runEndingAfter(row: Long): Int = {
    val found = java.util.Arrays.binarySearch(ends, row + 1)
    if (found >= 0) found else -found - 1
  }

  /** Returns the rows that are in both selections. */
  def intersect(that: RowSelection): RowSelection = {
    val builder = new RowSelection.Builder
    var i = 0
    var j = 0
    while (i < runs && j < that.runs) {
      val from = math.max(start(i), that.start(j))
      val until = math.min(end(i), that.end(j))
      if (from < until) builder.add(from, until)
      if (end(i) < that.end(j)) i += 1 else j += 1
    }
    builder.result()
  }

  /** Returns the rows that are in at least one of the selections. */
  def union(that: RowSelection): RowSelection = {
    val builder = new RowSelection.Builder
    var i = 0
    var j = 0
    while (i < runs || j < that.runs) {
      if (j == that.runs || (i < runs && start(i) <= that.start(j))) {
        builder.add(start(i), end(i))
        i += 1
      } else {
        builder.add(that.start(j), that.end(j))
        j += 1
      }
    }
    builder.result()
  }

  /** Selects the first `count` rows of this selection. */
  def take(count: Long): RowSelection = if (count >= size) this else slice(0, count)

  /** Selects all but the first `count` rows of this selection. */
  def drop(count: Long): RowSelection = slice(count, size)

  private def slice(from: Long, until: Long): RowSelection = {
    val builder = new RowSelection.Builder
    var before = 0L
    var run = 0
    while (run < runs && before < until) {
      val shift = start(run) - before
      val first = math.max(start(run), from + shift)
      val last = math.min(end(run), until + shift)
      if (first < last) builder.add(first, last)
      before += end(run) - start(run)
      run += 1
    }
    builder.result()
  }

  /** Iterates over the selected rows, ascending. */
  def iterator: PrimitiveIterator.OfLong = new PrimitiveIterator.OfLong {
    private var run = 0
    private var row = if (isEmpty) 0L else start(0)

    override def hasNext: Boolean = run < runs

    override def nextLong(): Long = {
      if (run >= runs) throw new NoSuchElementException
      val next = row
      row += 1
      if (row == end(run)) {
        run += 1
        if (run < runs) row = start(run)
      }
      next
    }
  }

  override def toString: String =
    starts.indices.map(run => s"${starts(run)}-${ends(run) - 1}").mkString("[", ", ", "]")
}

private[read] object RowSelection {

  val empty: RowSelection = new RowSelection(Array.emptyLongArray, Array.emptyLongArray)

  /** Selects the rows `[0, count)`. */
  def all(count: Long): RowSelection = range(0, count)

  /** Selects the rows `[from, until)`. */
  def range(from: Long, until: Long): RowSelection =
    if (from >= until) empty else new RowSelection(Array(from), Array(until))

  /**
   * Builds a selection from runs with ascending starts. Runs that touch or overlap become one run.
   */
  final class Builder {
    private var starts = new Array[Long](8)
    private var ends = new Array[Long](8)
    private var count = 0

    /**
     * Adds the rows `[from, until)`; `from` must not be less than the start of the last run added.
     */
    def add(from: Long, until: Long): Unit =
      if (count > 0 && from <= ends(count - 1)) {
        ends(count - 1) = math.max(ends(count - 1), until)
      } else {
        if (count == starts.length) {
          starts = java.util.Arrays.copyOf(starts, 2 * count)
          ends = java.util.Arrays.copyOf(ends, 2 * count)
        }
        starts(count) = from
        ends(count) = until
        count += 1
      }

    def result(): RowSelection =
      if (count == 0) empty
      else {
        new RowSelection(
          java.util.Arrays.copyOf(starts, count),
          java.util.Arrays.copyOf(ends, count)
        )
      }
  }
}
