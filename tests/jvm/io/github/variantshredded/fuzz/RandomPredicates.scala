package io.github.variantshredded.fuzz

import org.apache.spark.sql.types._

/** Random conditions over what a scope has. */
final class RandomPredicates(dice: Dice, terms: RandomTerms) {

  def condition(depth: Int): SqlNode = dice.below(if (depth == 0) 1 else 7) match {
    case 1 | 2 => combined("AND", depth)
    case 3 | 4 => combined("OR", depth)
    case 5     =>
      val inner = condition(depth - 1)
      SqlNode.Or(SqlNode.All(Vector(SqlNode("NOT ("), inner, SqlNode(")")), ""), Vector(inner))
    case _ => SqlNode(leaf())
  }

  private def combined(word: String, depth: Int): SqlNode = {
    val parts = Vector.fill(2)(condition(depth - 1))
    SqlNode.Or(
      SqlNode.All(
        Vector(SqlNode("("), SqlNode.Items(parts, s" $word "), SqlNode(")")),
        ""
      ),
      parts
    )
  }

  private def leaf(): String = dice.below(12) match {
    case 0         => comparison(terms.scalar(), terms.scalar())
    case 1 | 2 | 3 => of(terms.any())
    case _         => ofScalar(terms.scalar())
  }

  /** Of terms whose types can be compared, perhaps after a cast. */
  private def comparison(left: Term, right: Term): String = {
    val operator = dice.pick(RandomPredicates.operators)
    val wanted = right.dataType.sql
    if (left.dataType == right.dataType) s"${left.sql} $operator ${right.sql}"
    else s"try_cast(cast(${left.sql} AS STRING) AS $wanted) $operator ${right.sql}"
  }

  def of(term: Term): String = term.dataType match {
    case ArrayType(element, _) if isScalar(element)              => ofArray(term, element)
    case VariantType | _: MapType | _: ArrayType | _: StructType => nullTest(term)
    case _                                                       => ofScalar(term)
  }

  private def nullTest(term: Term): String =
    if (dice.oneIn(2)) s"${term.sql} IS NULL" else s"${term.sql} IS NOT NULL"

  private def isScalar(dataType: DataType): Boolean = dataType match {
    case VariantType | _: MapType | _: ArrayType | _: StructType | BinaryType => false
    case _                                                                    => true
  }

  private def ofArray(array: Term, element: DataType): String = {
    val literals = array.literals().filter(_ != "ARRAY()")
    val some = literals.headOption.fold(s"cast(NULL AS ${element.sql})")(l => s"get($l, 0)")
    dice.below(5) match {
      case 0 => s"array_contains(${array.sql}, $some)"
      case 1 => s"arrays_overlap(${array.sql}, ${literals.headOption.getOrElse("array()")})"
      case 2 => s"exists(${array.sql}, x -> x ${dice.pick(RandomPredicates.operators)} $some)"
      case 3 => s"forall(${array.sql}, x -> x IS NOT NULL)"
      case _ => s"size(${array.sql}) > ${dice.below(3)}"
    }
  }

  def ofScalar(term: Term): String = {
    val found = term.literals()
    def literal(): String =
      if (found.isEmpty) s"cast(NULL AS ${term.dataType.sql})" else dice.pick(found)
    val sql = term.sql
    dice.below(15) match {
      case 0 => s"$sql IS NULL"
      case 1 => s"$sql IS NOT NULL"
      case 2 => s"$sql <=> ${literal()}"
      case 3 => s"$sql BETWEEN ${literal()} AND ${literal()}"
      case 4 => s"$sql IN (${literal()}, ${literal()}, ${literal()})"
      case 5 =>
        val last = if (dice.oneIn(4)) "NULL" else literal()
        s"$sql NOT IN (${literal()}, $last)"
      case 6 => s"coalesce($sql, ${literal()}) = ${literal()}"
      case 7 => s"${literal()} ${dice.pick(RandomPredicates.operators)} $sql"
      case 8 if term.dataType == BooleanType => sql
      case 8 if isNumber(term.dataType)      =>
        val wider = dice.pick(Vector("DOUBLE", "DECIMAL(38, 4)", "STRING"))
        s"try_cast($sql AS $wider) ${dice.pick(RandomPredicates.operators)} ${literal()}"
      case 9 | 10 if term.dataType == StringType =>
        dice.pick(Vector("n%", "%1", "n_", "%", "", "x%x", "2024%")) match {
          case pattern if dice.oneIn(3) => s"$sql NOT LIKE '$pattern'"
          case pattern                  => s"$sql LIKE '$pattern'"
        }
      // From eleven literals on, Spark looks them up in a set.
      case 14 =>
        val not = if (dice.oneIn(3)) "NOT " else ""
        val list = Vector.fill(dice.between(11, 16))(literal()) ++ special(term.dataType)
        s"$sql ${not}IN (${dice.rng.shuffle(list).mkString(", ")})"
      case 9 if term.dataType == DoubleType || term.dataType == FloatType => s"isnan($sql)"
      case _ => s"$sql ${dice.pick(RandomPredicates.operators)} ${literal()}"
    }
  }

  /** Literals that the equality of a set may treat in another way. */
  private def special(dataType: DataType): Vector[String] = {
    val all = dataType match {
      case FloatType | DoubleType =>
        Vector("'NaN'", "'-0.0'", "'0.0'", "'Infinity'", "NULL").map { text =>
          if (text == "NULL") text else s"cast($text AS ${dataType.sql})"
        }
      case _ => Vector("NULL")
    }
    dice.some(all, dice.below(3))
  }

  private def isNumber(dataType: DataType): Boolean = dataType.isInstanceOf[NumericType]
}

object RandomPredicates {
  val operators: Vector[String] = Vector("=", "<>", "<", "<=", ">", ">=", "<=>", "=")
}
