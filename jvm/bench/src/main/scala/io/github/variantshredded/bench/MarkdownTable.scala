package io.github.variantshredded.bench

/**
 * Prints a table in Markdown, each row as soon as it is known.
 *
 * @param head
 *   the titles of the columns; all but the first are numbers
 */
private[bench] final class MarkdownTable(head: String*) {
  println()
  row(head: _*)
  println(head.indices.map(column => if (column == 0) "---" else "---:").mkString("|", "|", "|"))

  def row(cells: String*): Unit = println(cells.mkString("| ", " | ", " |"))
}

private[bench] object MarkdownTable {

  def seconds(time: Double): String = f"$time%.3f"

  def ratio(value: Double): String = f"$value%.2f"

  /** Returns megabytes of two ways in one cell. */
  def megabytes(first: MedianTime, second: MedianTime): String =
    f"${first.bytes / 1e6}%.2f / ${second.bytes / 1e6}%.2f"
}
