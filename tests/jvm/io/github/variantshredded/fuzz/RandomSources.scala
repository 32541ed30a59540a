package io.github.variantshredded.fuzz

import io.github.variantshredded.testing.VariantTree
import org.apache.spark.sql.types._

/** Random relations for the FROM of a query: tables, and what can be made of them. */
final class RandomSources(dice: Dice, tables: Vector[FuzzTable], anyCase: Boolean) {

  private var aliases = 0

  private def fresh(): String = {
    aliases += 1
    s"q$aliases"
  }

  /** A relation with its alias, and what it has. */
  def source(depth: Int): (SqlNode, Scope) = dice.below(if (depth == 0) 6 else 18) match {
    case 6 | 7 | 8    => derived(depth - 1)
    case 9 | 10       => union(depth - 1)
    case 11 | 12 | 13 => join(depth - 1)
    case 14           => exploded()
    case 15           => elements()
    case 16           => named(depth - 1)
    case 17           => unpivoted(depth - 1)
    case _            => table()
  }

  /** A table by itself. */
  def table(): (SqlNode, Scope) = {
    val found = dice.weighted(5 -> tables.head, 2 -> dice.pick(tables))
    val alias = fresh()
    (SqlNode(s"{${found.name}} $alias"), Scope.of(found, anyCase).in(alias))
  }

  private def where(scope: Scope, depth: Int): SqlNode = {
    val predicates = new RandomPredicates(dice, new RandomTerms(dice, scope))
    SqlNode.maybe("WHERE", Option.when(dice.oneIn(2))(predicates.condition(depth)))
  }

  /** Columns that a query above can name: Variants, parts of them, and extractions. */
  private def derived(depth: Int): (SqlNode, Scope) = {
    val (from, scope) = source(depth)
    val terms = new RandomTerms(dice, scope)
    val variants = Vector.fill(dice.between(1, 3))(terms.variant()).zipWithIndex.map {
      case ((sql, samples), at) => (s"$sql AS o$at", NamedVariant(s"@o$at", s"o$at", samples))
    }
    val computed =
      Vector.fill(dice.between(0, 3))(terms.scalar()).zipWithIndex.map { case (term, at) =>
        (s"${term.sql} AS x$at", NamedColumn(s"@x$at", term.dataType, term.literals()))
      }
    val keys = scope.keys.zipWithIndex.map { case (key, at) =>
      (s"$key AS k$at", NamedColumn(s"@k$at", LongType, Vector("3", "10", "1005")))
    }
    val limited = if (dice.oneIn(6)) firstRows(terms, scope) else ""
    val list = variants.map(_._1) ++ computed.map(_._1) ++ keys.map(_._1)
    val alias = fresh()
    val node = SqlNode.all(
      SqlNode("(SELECT"),
      SqlNode.Items(dice.rng.shuffle(list).map(SqlNode(_)), ", "),
      SqlNode("FROM"),
      from,
      where(scope, 1),
      SqlNode.Maybe(Option.when(limited.nonEmpty)(SqlNode(limited))),
      SqlNode(s") $alias")
    )
    val inside = Scope(
      variants.map(_._2),
      computed.map(_._2) ++ keys.map(_._2),
      keys.map(_._2.sql),
      scope.negativeZeros
    )
    (node, inside.in(alias))
  }

  /** Which rows these are is determined by the keys. */
  private def firstRows(terms: RandomTerms, scope: Scope): String = {
    val first = Vector.fill(dice.below(3))(terms.orderable().sql)
    val offset = if (dice.oneIn(4)) s" OFFSET ${dice.below(5)}" else ""
    s"ORDER BY ${(first ++ scope.keys).mkString(", ")} LIMIT ${dice.between(1, 40)}$offset"
  }

  private def union(depth: Int): (SqlNode, Scope) = {
    val branches = Vector.fill(dice.weighted(4 -> 2, 1 -> 3)) {
      val (from, scope) = if (dice.oneIn(3)) source(math.min(depth, 0)) else table()
      val terms = new RandomTerms(dice, scope)
      val (sql, samples) =
        if (dice.oneIn(3)) terms.variant()
        else {
          val named = dice.pick(scope.variants)
          (named.sql, named.samples)
        }
      // Of the same types in each branch.
      val text = terms.scalar()
      (
        SqlNode.all(
          SqlNode(
            s"SELECT ${scope.keys.head} AS k0, $sql AS o0, cast(${text.sql} AS STRING) AS x0 FROM"
          ),
          from,
          where(scope, 1)
        ),
        samples,
        scope.negativeZeros
      )
    }
    val kind = "UNION ALL"
    val alias = fresh()
    val node = SqlNode.all(
      SqlNode("("),
      SqlNode.Items(branches.map(_._1), s" $kind "),
      SqlNode(s") $alias")
    )
    // Ids may repeat: a key is whatever is in the row.
    val scope = Scope(
      Vector(NamedVariant("@o0", "o0", branches.flatMap(_._2))),
      Vector(
        NamedColumn("@k0", LongType, Vector("3", "10", "1005")),
        NamedColumn("@x0", StringType, Vector("'n1'", "'1'", "'true'"))
      ),
      Vector("@k0", "@x0", "to_json(@o0)"),
      branches.exists(_._3)
    )
    (node, scope.in(alias))
  }

  private def join(depth: Int): (SqlNode, Scope) = {
    val (left, leftScope) = source(depth)
    val (right, rightScope) = if (dice.oneIn(3)) source(depth) else table()
    val kind = dice.pick(RandomSources.joins)
    val both = leftScope ++ rightScope
    val predicates = new RandomPredicates(dice, new RandomTerms(dice, both))
    val more = Vector.fill(dice.below(2))(predicates.condition(1))
    val on = SqlNode.Items(SqlNode(partners(leftScope, rightScope)) +: more, " AND ")
    val node = SqlNode.all(left, SqlNode(s"$kind JOIN"), right, SqlNode("ON"), on)
    (node, if (kind.contains("SEMI") || kind.contains("ANTI")) leftScope else both)
  }

  private def partners(left: Scope, right: Scope): String = {
    val leftTerms = new RandomTerms(dice, left)
    val rightTerms = new RandomTerms(dice, right)
    dice.below(6) match {
      case 0 => s"${left.keys.head} = ${right.keys.head}"
      case 1 => s"${left.keys.head} + 1000 = ${right.keys.head}"
      case 2 => s"${left.keys.head} % 7 = ${rightTerms.scalar().copy().sql}"
      case _ =>
        val one = leftTerms.extraction(nested = false)
        val other = rightTerms.extraction(nested = false)
        if (one.dataType == other.dataType) s"${one.sql} = ${other.sql}"
        else s"cast(${one.sql} AS STRING) = cast(${other.sql} AS STRING)"
    }
  }

  /** A common table expression that is joined with itself: both sides have the same plan. */
  private def named(depth: Int): (SqlNode, Scope) = {
    val (from, scope) = derived(depth)
    val name = fresh()
    val (one, other) = (fresh(), fresh())
    def column(sql: String): String = sql.substring(sql.indexOf('.') + 1)
    val columns = (scope.variants.map(_.sql) ++ scope.ordinary.map(_.sql)).map(column)
    val key = column(scope.keys.head)
    val inner = scope.copy(
      variants = scope.variants.map(v => v.copy(sql = s"@${column(v.sql)}")),
      ordinary = scope.ordinary.map(c => c.copy(sql = s"@${column(c.sql)}")),
      keys = scope.keys.map(k => s"@${column(k)}")
    )
    val alias = fresh()
    val node = SqlNode.all(
      SqlNode(s"(WITH $name AS (SELECT * FROM"),
      from,
      SqlNode(") SELECT"),
      SqlNode((columns.map(c => s"$one.$c") :+ s"$other.${columns.last} AS y").mkString(", ")),
      SqlNode(s"FROM $name $one JOIN $name $other ON $one.$key = $other.$key"),
      where(inner.in(dice.pick(Vector(one, other))), 1),
      SqlNode(s") $alias")
    )
    (node, inner.in(alias))
  }

  /** With a row for each of two extractions, of the same type. */
  private def unpivoted(depth: Int): (SqlNode, Scope) = {
    val (from, scope) = source(depth)
    val terms = new RandomTerms(dice, scope)
    val (variant, samples) = terms.variant()
    val alias = fresh()
    val nulls = dice.pick(Vector("INCLUDE", "EXCLUDE"))
    val node = SqlNode.all(
      SqlNode(
        s"(SELECT * FROM (SELECT $variant AS o0, ${scope.keys.head} AS k0, " +
          s"cast(${terms.scalar().sql} AS STRING) AS a, cast(${terms.scalar().sql} AS STRING) AS b FROM"
      ),
      from,
      where(scope, 1),
      SqlNode(s") UNPIVOT $nulls NULLS (x0 FOR n IN (a, b))) $alias")
    )
    val inside = Scope(
      Vector(NamedVariant("@o0", "o0", samples)),
      Vector(
        NamedColumn("@k0", LongType, Vector("3", "10", "1005")),
        NamedColumn("@n", StringType, Vector("'a'", "'b'")),
        NamedColumn("@x0", StringType, Vector("'n1'", "'1'", "'true'"))
      ),
      Vector("@k0", "@n"),
      scope.negativeZeros
    )
    (node, inside.in(alias))
  }

  /** With a row for each field or element of a Variant. */
  private def exploded(): (SqlNode, Scope) = {
    val (from, scope) = table()
    val (sql, samples) = new RandomTerms(dice, scope).variant()
    val alias = fresh()
    val outer = if (dice.oneIn(3)) "_outer" else ""
    val parts = samples.flatMap {
      case VariantTree.Obj(fields)   => fields.map(_._2)
      case VariantTree.Arr(elements) => elements
      case _                         => Vector()
    }
    val node = SqlNode.all(from, SqlNode(s", LATERAL variant_explode$outer($sql) $alias"))
    val added = Scope(
      Vector(NamedVariant("@value", "value", parts)),
      Vector(
        NamedColumn("@pos", IntegerType, Vector("0", "1", "2")),
        NamedColumn("@key", StringType, Vector("'a'", "'id'", "'k'"))
      ),
      Vector("@pos"),
      scope.negativeZeros
    )
    (node, scope ++ added.in(alias))
  }

  /** With a row for each element of a Variant as an array. */
  private def elements(): (SqlNode, Scope) = {
    val (from, scope) = table()
    val (sql, samples) = new RandomTerms(dice, scope).variant()
    val alias = fresh()
    val outer = if (dice.oneIn(3)) "_outer" else ""
    val parts = samples.flatMap {
      case VariantTree.Arr(elements) => elements
      case _                         => Vector()
    }
    val node = SqlNode.all(
      from,
      SqlNode(
        s"LATERAL VIEW posexplode$outer(try_cast($sql AS ARRAY<VARIANT>)) $alias AS pos, value"
      )
    )
    val added = Scope(
      Vector(NamedVariant("@value", "value", parts)),
      Vector(NamedColumn("@pos", IntegerType, Vector("0", "1", "2"))),
      Vector("@pos"),
      scope.negativeZeros
    )
    (node, scope ++ added.in(alias))
  }
}

object RandomSources {
  val joins: Vector[String] =
    Vector("INNER", "INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")
}
