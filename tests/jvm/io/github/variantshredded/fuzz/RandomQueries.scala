package io.github.variantshredded.fuzz

import org.apache.spark.sql.types._

/**
 * Random queries whose answer is determined.
 *
 * @param anyCase
 *   whether they may write names in another case
 */
final class RandomQueries(dice: Dice, tables: Vector[FuzzTable], anyCase: Boolean) {

  private val sources = new RandomSources(dice, tables, anyCase)

  def query(): FuzzQuery = {
    val (from, scope) = sources.source(dice.weighted(6 -> 0, 3 -> 1, 1 -> 2))
    val terms = new RandomTerms(dice, scope)
    val where = conditions(scope, terms)
    dice.below(12) match {
      case 0 | 1 | 2                 => aggregate(from, scope, terms, where)
      case 3                         => windows(from, scope, terms, where)
      case 4                         => distinct(from, terms, where)
      case 5                         => top(from, scope, terms, where)
      case 6                         => counted(from, terms, where)
      case 7 if scope.keys.size == 1 => everything(from, where)
      case _                         => plain(from, scope, terms, where)
    }
  }

  private def conditions(scope: Scope, terms: RandomTerms): SqlNode = {
    val predicates = new RandomPredicates(dice, terms)
    val subqueries = new RandomSubqueries(dice, sources, scope, terms)
    // Spark evaluates subqueries last in a scan by its second interface, and in their place by its
    // first: they decide whether a cast of a later condition is reached, and fails.
    val (last, first) =
      Vector.fill(dice.weighted(3 -> 0, 4 -> 1, 2 -> 2, 1 -> 3))(dice.oneIn(10)).partition(identity)
    val conjuncts = first.map(_ => predicates.condition(dice.below(3))) ++
      last.map(_ => subqueries.condition())
    SqlNode.maybe(
      "WHERE",
      Option.when(conjuncts.nonEmpty)(SqlNode.Items(conjuncts, " AND "))
    )
  }

  private def select(items: Seq[String]): SqlNode =
    SqlNode.all(
      SqlNode("SELECT"),
      SqlNode.Items(
        items.toVector.zipWithIndex.map { case (sql, at) => SqlNode(s"$sql AS c$at") },
        ", "
      )
    )

  private def plain(from: SqlNode, scope: Scope, terms: RandomTerms, where: SqlNode): FuzzQuery = {
    val subquery = Option.when(dice.oneIn(12)) {
      new RandomSubqueries(dice, sources, scope, terms).value()
    }
    val items = Vector.fill(dice.between(1, 5))(terms.any().sql) ++ subquery ++
      (if (dice.oneIn(3)) Nil else scope.keys)
    FuzzQuery(SqlNode.all(select(items), SqlNode("FROM"), from, where), ordered = false)
  }

  private def everything(from: SqlNode, where: SqlNode): FuzzQuery =
    FuzzQuery(SqlNode.all(SqlNode("SELECT * FROM"), from, where), ordered = false)

  private def aggregate(
      from: SqlNode,
      scope: Scope,
      terms: RandomTerms,
      where: SqlNode
  ): FuzzQuery = {
    val keys = Vector.fill(dice.below(3))(terms.orderable().sql).distinct
    val values = Vector.fill(dice.between(1, 4))(aggregated(scope, terms))
    val grouping =
      if (keys.isEmpty) SqlNode("")
      else {
        val list = keys.mkString(", ")
        SqlNode(dice.below(6) match {
          case 0 => s"GROUP BY ROLLUP ($list)"
          case 1 => s"GROUP BY CUBE ($list)"
          case 2 => s"GROUP BY GROUPING SETS ((${keys.head}), ($list), ())"
          case _ => s"GROUP BY $list"
        })
      }
    val having = Option.when(dice.oneIn(6))(SqlNode(s"${dice.pick(values)} IS NOT NULL"))
    // Columns that are grouped by cannot be left out without their grouping.
    val list = SqlNode.all(
      SqlNode("SELECT" + keys.zipWithIndex.map { case (k, i) => s" $k AS g$i," }.mkString),
      SqlNode.Items(values.zipWithIndex.map { case (v, i) => SqlNode(s"$v AS c$i") }, ", ")
    )
    FuzzQuery(
      SqlNode.all(list, SqlNode("FROM"), from, where, grouping, SqlNode.maybe("HAVING", having)),
      ordered = false
    )
  }

  private def aggregated(scope: Scope, terms: RandomTerms): String = {
    val term = Iterator
      .continually(terms.orderable())
      .find(t => !scope.negativeZeros || !t.hasFloats)
      .get
    val sql = term.sql
    val filter =
      if (!dice.oneIn(6)) ""
      else s" FILTER (WHERE ${new RandomPredicates(dice, terms).condition(0).text})"
    val call = (dice.below(9), term.dataType) match {
      case (0, _)                                      => "count(*)"
      case (1, _)                                      => s"count($sql)"
      case (2, _)                                      => s"count(DISTINCT $sql)"
      case (3, _)                                      => s"sort_array(collect_list($sql)$filter)"
      case (4, _) if scope.keys.size == 1              => s"max_by($sql, ${scope.keys.head})"
      case (5 | 6, IntegerType | ShortType | ByteType) => s"sum($sql)"
      case (5 | 6, d: DecimalType) if d.precision < 20 => s"avg($sql)"
      case (5 | 6, LongType)                           => s"sum(try_cast($sql AS DECIMAL(20, 0)))"
      case (7, BooleanType)                            => s"bool_and($sql)"
      case (7, _)                                      => s"max($sql)"
      case (8, VariantType)                            => s"count($sql)"
      case _                                           => s"min($sql)"
    }
    if (call.startsWith("sort_array")) call else s"$call$filter"
  }

  private def windows(
      from: SqlNode,
      scope: Scope,
      terms: RandomTerms,
      where: SqlNode
  ): FuzzQuery = {
    val partition = terms.orderable().sql
    val order = s"ORDER BY ${terms.orderable().sql}, ${scope.keys.mkString(", ")}"
    val value = terms.any().sql
    val over = s"OVER (PARTITION BY $partition $order)"
    val window = dice.below(5) match {
      case 0 => s"row_number() $over"
      case 1 => s"lag($value) $over"
      case 2 => s"first_value($value) $over"
      case 3 => s"count($value) OVER (PARTITION BY $partition)"
      case _ => s"rank() $over"
    }
    // Rows that are alike in all keys are alike in what a window says of them, or not told apart.
    if (scope.keys.exists(_.startsWith("to_json"))) plain(from, scope, terms, where)
    else if (dice.oneIn(3)) {
      val inner = SqlNode.all(
        SqlNode(s"SELECT $window AS r, ${terms.any().sql} AS c0, ${scope.keys.head} AS c1 FROM"),
        from,
        where
      )
      FuzzQuery(
        SqlNode.all(SqlNode("SELECT * FROM ("), inner, SqlNode(") WHERE r = 1")),
        ordered = false
      ).copy()
    } else {
      val items = window +: Vector.fill(dice.below(3))(terms.any().sql) :+ scope.keys.head
      FuzzQuery(SqlNode.all(select(items), SqlNode("FROM"), from, where), ordered = false)
    }
  }

  private def distinct(from: SqlNode, terms: RandomTerms, where: SqlNode): FuzzQuery = {
    val items = Vector.fill(dice.between(1, 3))(terms.orderable().sql)
    val list = items.zipWithIndex.map { case (sql, at) => s"$sql AS c$at" }.mkString(", ")
    FuzzQuery(
      SqlNode.all(SqlNode(s"SELECT DISTINCT $list FROM"), from, where),
      ordered = false
    )
  }

  private def top(from: SqlNode, scope: Scope, terms: RandomTerms, where: SqlNode): FuzzQuery = {
    val first = terms.orderable().sql
    val direction = dice.pick(Vector("", " DESC", " DESC NULLS LAST", " NULLS LAST"))
    // Whole rows: the same keys may be there twice.
    val items = Vector.fill(dice.between(1, 4))(terms.orderable().sql) ++ scope.keys
    val order =
      (s"$first$direction" +: (scope.keys ++ items.dropRight(scope.keys.size))).mkString(", ")
    val limit = Option.when(dice.oneIn(2))(SqlNode(s"${dice.below(30)}"))
    val offset = Option.when(dice.oneIn(6))(SqlNode(s"${dice.below(9)}"))
    FuzzQuery(
      SqlNode.all(
        select(items),
        SqlNode("FROM"),
        from,
        where,
        SqlNode(s"ORDER BY $order"),
        SqlNode.maybe("LIMIT", limit),
        SqlNode.maybe("OFFSET", offset)
      ),
      ordered = true
    )
  }

  /** How many rows a limit leaves: which ones is not determined. */
  private def counted(from: SqlNode, terms: RandomTerms, where: SqlNode): FuzzQuery = {
    val limit = if (dice.oneIn(2)) s"LIMIT ${dice.below(50)}" else ""
    FuzzQuery(
      SqlNode.all(
        SqlNode(s"SELECT count(*) FROM (SELECT ${terms.any().sql} FROM"),
        from,
        where,
        SqlNode.Maybe(Option.when(limit.nonEmpty)(SqlNode(limit))),
        SqlNode(")")
      ),
      ordered = false
    )
  }
}
