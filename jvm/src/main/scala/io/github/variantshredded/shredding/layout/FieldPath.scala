package io.github.variantshredded.shredding.layout

/** Writes paths as errors and `explain` show them: `$.a['b c'][*]`. */
object FieldPath {

  /** Returns `path` followed by the field `name`. */
  def append(path: String, name: String): String =
    if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) s"$path.$name"
    else s"$path['${name.replace("\\", "\\\\").replace("'", "\\'")}']"

  /** Returns `path` with `indexes` in place of its first elements `[*]`, but not within a name. */
  def at(path: String, indexes: Seq[Int]): String = {
    val left = indexes.iterator
    val out = new StringBuilder
    var isName = false
    var i = 0
    while (i < path.length) {
      if (!isName && left.hasNext && path.startsWith(Elements, i)) {
        out ++= s"[${left.next()}]"
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

  private final val Elements = "[*]"
}
