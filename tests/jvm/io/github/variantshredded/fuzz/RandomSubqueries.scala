package io.github.variantshredded.fuzz

/** Random subqueries in conditions and in results. */
final class RandomSubqueries(
    dice: Dice,
    sources: RandomSources,
    outer: Scope,
    outerTerms: RandomTerms
) {

  /** Mostly a table. Of what a join adds, Spark optimizes more when the subquery becomes one itself. */
  private def relation(): (SqlNode, Scope) = sources.source(if (dice.oneIn(3)) 1 else 0)

  def condition(): SqlNode = {
    val (from, scope) = relation()
    val terms = new RandomTerms(dice, scope)
    val not = if (dice.oneIn(2)) "NOT " else ""
    val filter = new RandomPredicates(dice, terms).condition(1)
    dice.below(5) match {
      case 4 =>
        val (otherFrom, otherScope) = relation()
        val otherTerms = new RandomTerms(dice, otherScope)
        val otherFilter = new RandomPredicates(dice, otherTerms).condition(1)
        SqlNode.all(
          SqlNode(s"cast(${outerTerms.scalar().sql} AS STRING) ${not}IN ("),
          texts(from, terms, filter),
          SqlNode(dice.pick(RandomSubqueries.setOperations)),
          texts(otherFrom, otherTerms, otherFilter),
          SqlNode(")")
        )
      case 0 =>
        val key = outer.keys.head
        SqlNode.all(
          SqlNode(s"$key ${not}IN (SELECT ${scope.keys.head} FROM"),
          from,
          SqlNode.maybe("WHERE", Some(filter)),
          SqlNode(")")
        )
      case 1 =>
        val one = outerTerms.scalar()
        SqlNode.all(
          SqlNode(s"cast(${one.sql} AS STRING) ${not}IN ("),
          texts(from, terms, filter),
          SqlNode(")")
        )
      case 2 =>
        SqlNode.all(
          SqlNode(s"${not}EXISTS (SELECT 1 FROM"),
          from,
          SqlNode(s"WHERE ${correlation(terms)} AND"),
          filter,
          SqlNode(")")
        )
      case _ =>
        SqlNode.all(
          SqlNode(s"${outerTerms.ordinary().sql} IS NOT NULL AND (SELECT count(*) FROM"),
          from,
          SqlNode.maybe("WHERE", Some(filter)),
          SqlNode(s") > ${dice.below(20)}")
        )
    }
  }

  /** A value of each row as text, so that all such queries have the same type. */
  private def texts(from: SqlNode, terms: RandomTerms, filter: SqlNode): SqlNode = SqlNode.all(
    SqlNode(s"SELECT cast(${terms.scalar().sql} AS STRING) FROM"),
    from,
    SqlNode.maybe("WHERE", Some(filter))
  )

  /** A subquery with one value. */
  def value(): String = {
    val (from, scope) = relation()
    val terms = new RandomTerms(dice, scope)
    val column = Iterator
      .continually(terms.scalar())
      .find(t => t.isOrderable && !(scope.negativeZeros && t.hasFloats))
      .get
    val where = if (dice.oneIn(2)) s"WHERE ${correlation(terms)}" else ""
    s"(SELECT ${dice.pick(Vector("max", "min", "count"))}(${column.sql}) FROM ${from.text} $where)"
  }

  // Spark takes no Variant of the query around.
  private def correlation(terms: RandomTerms): String =
    s"cast(${terms.scalar().sql} AS STRING) = cast(${outerTerms.ordinary().sql} AS STRING)"
}

object RandomSubqueries {
  private val setOperations =
    Vector("INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "UNION", "UNION ALL")
}
