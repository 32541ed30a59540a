package io.github.variantshredded.shredding.layout

/** Writes paths as errors and `explain` show them: `$.a['b c'][*]`. */
object FieldPath {

  /** Returns `path` followed by the field `name`. */
  def append(path: String, name: String): String =
    if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) s"$path.$name"
    else s"$path['${name.replace("\\", "\\\\").replace("'", "\\'")}']"
}
