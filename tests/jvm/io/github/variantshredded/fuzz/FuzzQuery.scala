package io.github.variantshredded.fuzz

/**
 * A query with `{t}` where the name of the table `t` belongs.
 *
 * @param ordered
 *   whether the query determines the order of its rows
 */
final case class FuzzQuery(node: SqlNode, ordered: Boolean) {

  /** With the names of tables that `table` gives. */
  def sql(table: String => String): String =
    FuzzQuery.Table.replaceAllIn(
      node.text,
      found => java.util.regex.Matcher.quoteReplacement(table(found.group(1)))
    )

  /** The names of the tables. */
  def tables: Set[String] = FuzzQuery.Table.findAllMatchIn(node.text).map(_.group(1)).toSet

  def smaller: LazyList[FuzzQuery] = node.smaller.map(n => copy(node = n))
}

object FuzzQuery {
  private val Table = "\\{(\\w+)\\}".r
}
