package io.github.variantshredded.variant

/**
 * Writes paths within a Variant as messages show them and as Spark's `variant_get` takes them:
 * `$.a['b c'][3]`.
 */
object VariantPath {

  /** Path of the whole value. */
  final val Root = "$"

  /** Longest part of a field name that a path shows, in characters. */
  final val MaxShownName = 120

  /** Returns the path of the field `name` of the object at `parent`. */
  def field(parent: String, name: String): String =
    appendField(new StringBuilder(parent), name).toString

  /** Returns the path of the element `index`, counted from 0, of the array at `parent`. */
  def element(parent: String, index: Int): String =
    appendElement(new StringBuilder(parent), index).toString

  def appendField(path: StringBuilder, name: String): StringBuilder =
    if (isPlain(name)) path.append('.').append(name)
    else {
      path.append("['")
      val shown = if (name.length <= MaxShownName) name.length else shownLength(name)
      name.substring(0, shown).foreach(appendQuoted(path, _))
      if (shown < name.length) path.append("...")
      path.append("']")
    }

  def appendElement(path: StringBuilder, index: Int): StringBuilder =
    path.append('[').append(index).append(']')

  // Whether a name can be written after a dot: it is an identifier that need not be shortened.
  private def isPlain(name: String): Boolean =
    name.nonEmpty && name.length <= MaxShownName && !name.charAt(0).isDigit &&
      name.forall(c => c == '_' || (c < 0x80 && Character.isLetterOrDigit(c)))

  private def shownLength(name: String): Int =
    if (Character.isHighSurrogate(name.charAt(MaxShownName - 1))) MaxShownName - 1 else MaxShownName

  private def appendQuoted(path: StringBuilder, c: Char): StringBuilder = c match {
    case '\'' | '\\'                    => path.append('\\').append(c)
    case _ if Character.isISOControl(c) => path.append("\\u%04x".format(c.toInt))
    case _                              => path.append(c)
  }
}
