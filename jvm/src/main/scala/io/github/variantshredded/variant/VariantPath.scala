package io.github.variantshredded.variant

/**
 * Writes paths within a Variant as users see them: `$.a['b c'][3]`, or `$.a['b c'][*]` for all
 * elements of an array. In quotes, a backslash precedes quotes and backslashes.
 *
 * There are three rules for the names of fields, each for one kind of path:
 *
 *   - [[field]] is for a value in the data, where a name may have any length and any character. It
 *     shortens long names and escapes control characters, so that a message stays on one line.
 *   - [[wholeField]] is for a position of a shredding schema. It changes no name, because two
 *     positions must not get the same path, and because users copy these paths into options.
 *   - [[optionField]] is for a path that a user has given in an option. It changes no name either,
 *     and like the options it writes names such as `9x` and `a-b` after a dot.
 *
 * A path for Spark's `variant_get` is another thing: Spark's syntax has no escapes.
 */
object VariantPath {

  /** Path of the whole value. */
  final val Root = "$"

  /** Longest part of a field name that a path shows, in characters. */
  final val MaxShownName = 120

  private final val Elements = "[*]"

  /** Returns the path of the field `name` of the object at `parent`. Long names are shortened. */
  def field(parent: String, name: String): String =
    appendField(new StringBuilder(parent), name).toString

  /** Returns the path of the field `name` of the object at `parent`, with the whole name. */
  def wholeField(parent: String, name: String): String =
    if (isIdentifier(name)) s"$parent.$name" else quoted(parent, name)

  /** Returns the path of the field `name` of the object at `parent`, as options write it. */
  def optionField(parent: String, name: String): String =
    if (name.matches("[\\w-]+")) s"$parent.$name" else quoted(parent, name)

  /** Returns the path of the element `index`, counted from 0, of the array at `parent`. */
  def element(parent: String, index: Int): String =
    appendElement(new StringBuilder(parent), index).toString

  /** Returns the path of all elements of the array at `parent`. */
  def elements(parent: String): String = parent + Elements

  def appendField(path: StringBuilder, name: String): StringBuilder =
    if (name.length <= MaxShownName && isIdentifier(name)) path.append('.').append(name)
    else {
      path.append("['")
      val shown = if (name.length <= MaxShownName) name.length else shownLength(name)
      name.substring(0, shown).foreach(appendEscaped(path, _))
      if (shown < name.length) path.append("...")
      path.append("']")
    }

  def appendElement(path: StringBuilder, index: Int): StringBuilder =
    path.append('[').append(index).append(']')

  /** Returns `path` with `indexes` in place of its first elements `[*]`, but not within a name. */
  def withIndexes(path: String, indexes: Seq[Int]): String = {
    val left = indexes.iterator
    val out = new StringBuilder
    var isName = false
    var i = 0
    while (i < path.length) {
      if (!isName && left.hasNext && path.startsWith(Elements, i)) {
        appendElement(out, left.next())
        i += Elements.length
      } else {
        val size = if (isName && path(i) == '\\') 2 else 1
        if (path(i) == '\'') isName = !isName
        out ++= path.substring(i, i + size)
        i += size
      }
    }
    out.result()
  }

  private def isIdentifier(name: String): Boolean =
    name.nonEmpty && !name.charAt(0).isDigit &&
      name.forall(c => c == '_' || (c < 0x80 && Character.isLetterOrDigit(c)))

  private def quoted(parent: String, name: String): String =
    s"$parent['${name.replace("\\", "\\\\").replace("'", "\\'")}']"

  private def shownLength(name: String): Int =
    if (Character.isHighSurrogate(name.charAt(MaxShownName - 1))) MaxShownName - 1 else MaxShownName

  private def appendEscaped(path: StringBuilder, c: Char): StringBuilder = c match {
    case '\'' | '\\'                    => path.append('\\').append(c)
    case _ if Character.isISOControl(c) => path.append("\\u%04x".format(c.toInt))
    case _                              => path.append(c)
  }
}
