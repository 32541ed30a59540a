package io.github.variantshredded.sql.kernel

import io.github.variantshredded.errors.VariantShreddedErrors

/**
 * Translates paths as `get_path` accepts them, without a `$`: `a.b[0]['c d']."e.f"`. A leading `$`
 * is allowed.
 */
private[sql] object DocumentPath {

  // The same brackets as in Spark; an index has at most nine digits, so that it is an INT.
  private val Bracket = """\[(\d{1,9}|'[^']*'|"[^"]*")\]""".r

  /**
   * Returns the same path for Spark's `variant_get`: `$.a.b[0]['c d']['e.f']`.
   *
   * @param function
   *   name of the function, for messages
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_FUNCTION_ARGUMENT` if it is not a path, or has a name that Spark's paths
   *   cannot express
   */
  def toSpark(function: String, path: String): String = {
    def malformed =
      VariantShreddedErrors.functionArgument(function, s"cannot use the path '$path'")
    val spark = new StringBuilder("$")
    var at = if (path.startsWith("$")) 1 else 0
    var isFirst = at == 0
    while (at < path.length) {
      val c = path.charAt(at)
      if (c == '[') {
        val end = closing(path, at)
        if (end < 0) throw malformed
        spark.append(path.substring(at, end))
        at = end
      } else if (c == '.' || isFirst) {
        val start = if (c == '.') at + 1 else at
        val isQuoted = start < path.length && path.charAt(start) == '"'
        val from = if (isQuoted) start + 1 else start
        val end = if (isQuoted) path.indexOf('"'.toInt, from) else plainEnd(path, from)
        if (end < from || end == from && !isQuoted) throw malformed
        val name = path.substring(from, end)
        if (!isDotted(name) && name.contains('\'') && name.contains('"')) throw malformed
        append(spark, name)
        at = if (isQuoted) end + 1 else end
      } else throw malformed
      isFirst = false
    }
    spark.toString
  }

  /** Appends the field `name` to a path that [[toSpark]] takes; `path` is empty for the root. */
  def appendField(path: StringBuilder, name: String): StringBuilder =
    if (path.isEmpty && isDotted(name) && !name.startsWith("$")) path.append(name)
    else append(path, name)

  // The end of a name without quotes.
  private def plainEnd(path: String, from: Int): Int = {
    var end = from
    while (end < path.length && path.charAt(end) != '.' && path.charAt(end) != '[') end += 1
    end
  }

  // The position after the bracket that closes the one at `open`; -1 if they do not enclose an
  // index or a quoted name.
  private def closing(path: String, open: Int): Int =
    Bracket.findPrefixOf(path.substring(open)).fold(-1)(open + _.length)

  // Spark's paths have no escapes: a name with both kinds of quotes cannot be written in brackets.
  private def append(path: StringBuilder, name: String): StringBuilder =
    if (isDotted(name)) path.append('.').append(name)
    else if (!name.contains('\'')) path.append("['").append(name).append("']")
    else path.append("[\"").append(name).append("\"]")

  // Whether a name can be written after a dot.
  private def isDotted(name: String): Boolean =
    name.nonEmpty && !name.startsWith("\"") && !name.contains('.') && !name.contains('[')
}
