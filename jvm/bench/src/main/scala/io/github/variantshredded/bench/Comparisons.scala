package io.github.variantshredded.bench

import io.github.variantshredded.bench.MarkdownTable.{megabytes, ratio, seconds}

/**
 * Prints a table with a row for each comparison of two ways of doing the same.
 *
 * @param what
 *   what the rows are
 * @param base
 *   the way that the other one is compared with
 */
private[bench] final class Comparisons(
    interleaved: Interleaved,
    what: String,
    base: String,
    other: String
) {
  private val table = new MarkdownTable(
    what,
    s"CPU: $base, s",
    s"$other, s",
    "ratio",
    s"wall: $base, s",
    s"$other, s",
    "ratio",
    s"MB read: $base / $other"
  )

  /** Times both ways, and prints their row. */
  def compare(title: String, ofBase: () => Unit, ofOther: () => Unit): Unit = {
    val times = interleaved.measure(ofBase, ofOther)
    val (first, second) = (times(0), times(1))
    table.row(
      title,
      seconds(first.cpu),
      seconds(second.cpu),
      ratio(second.cpu / first.cpu),
      seconds(first.wall),
      seconds(second.wall),
      ratio(second.wall / first.wall),
      megabytes(first, second)
    )
  }
}
