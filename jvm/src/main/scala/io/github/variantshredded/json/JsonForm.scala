package io.github.variantshredded.json

/** Names the form in which a file holds its JSON values. */
private[json] sealed abstract class JsonForm(val name: String)

private[json] object JsonForm {

  /** Says that each line holds one value. */
  case object Lines extends JsonForm("lines")

  /** Says that the file holds one array, whose elements are the values. */
  case object Array extends JsonForm("array")

  /** Says that the values follow one another, each on one or more lines. */
  case object Values extends JsonForm("values")

  val All: Seq[JsonForm] = Seq(Lines, Array, Values)

  /**
   * Tells the form of a file from its beginning.
   *
   *   - A first line that is just an opening brace begins a value on several lines.
   *   - A file that begins with a bracket is an array, unless its first line is a whole value and
   *     another line follows. ([[isUnclear]] says if `head` is too short to see this.)
   *   - All other files have one value on each line.
   *
   * @param head
   *   the first bytes of the file
   * @param length
   *   number of bytes in `head`
   */
  def of(head: scala.Array[Byte], length: Int): JsonForm = {
    val start = firstOf(head, length)
    val newline = head.indexOf('\n'.toByte, start)
    val end = if (newline < 0 || newline > length) length else newline
    if (start == length) Lines
    else if (head(start) == '{' && JsonBytes.isBlank(head, start + 1, end) && end < length) Values
    else if (head(start) == '[' && !(isWhole(head, start, end) && hasMore(head, end, length))) Array
    else Lines
  }

  /** Returns whether a file begins with a bracket, and nothing is known of its second line. */
  def isUnclear(head: scala.Array[Byte]): Boolean = {
    val start = firstOf(head, head.length)
    val newline = head.indexOf('\n'.toByte, start)
    start < head.length && head(start) == '[' &&
    (newline < 0 || !hasMore(head, newline, head.length))
  }

  /** Returns the index of the first byte that is neither blank nor of a byte order mark. */
  private def firstOf(head: scala.Array[Byte], length: Int): Int =
    JsonBytes.afterBlanks(head, JsonBytes.afterMark(head, length), length)

  private def hasMore(head: scala.Array[Byte], from: Int, length: Int): Boolean =
    from < length && !JsonBytes.isBlank(head, from, length)

  /** Returns whether a value that begins with a bracket ends at the end of its line. */
  private def isWhole(head: scala.Array[Byte], start: Int, end: Int): Boolean = {
    val nesting = new JsonNesting
    var i = start
    while (i < end && (i == start || nesting.depth > 0)) {
      nesting.add(head(i))
      i += 1
    }
    nesting.depth == 0 && JsonBytes.isBlank(head, i, end)
  }
}
