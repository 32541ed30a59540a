package io.github.variantshredded.fuzz

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree.{Arr, Obj}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._

/** Random expressions over what a scope has. */
final class RandomTerms(dice: Dice, scope: Scope) {

  private val paths = new RandomPath(dice)
  private val targets = new RandomTarget(dice)

  /** Paths that were asked for before are asked for again, or what lies above or below them. */
  private var asked = Vector.empty[(NamedVariant, FoundPath)]

  def any(): Term = dice.below(20) match {
    case 0 | 1 | 2 => ordinary()
    case 3         => text(s"to_json(${variant()._1})")
    case 4         => text(s"schema_of_variant(${variant()._1})")
    case 5         => flag()
    case 6         => whole()
    case 7 | 8     => inside(extraction(nested = true))
    case 9         => computed()
    case _         => extraction(nested = true)
  }

  /** Of a type without parts. */
  def scalar(): Term = dice.below(8) match {
    case 0 | 1 => Iterator.continually(ordinary()).find(isScalar).get
    case 2     => Iterator.continually(inside(extraction(nested = true))).find(isScalar).get
    case _     => extraction(nested = false)
  }

  /** Of a type that has an order. */
  def orderable(): Term = Iterator.continually(any()).find(_.isOrderable).get

  private def isScalar(term: Term): Boolean = term.dataType match {
    case VariantType | _: ArrayType | _: MapType | _: StructType => false
    case _                                                       => true
  }

  def ordinary(): Term = {
    val named = dice.pick(scope.ordinary)
    Term(inSomeCase(named.sql), named.dataType, () => named.literals)
  }

  private def inSomeCase(name: String): String =
    if (scope.anyCase && dice.oneIn(6) && name.matches("[\\w.]+")) name.toUpperCase else name

  private def text(sql: String): Term = Term(sql, StringType, () => Vector("'n1'", "''"))

  /** SQL of a Variant, and what it is in some rows. */
  def variant(): (String, Vector[VariantTree]) = {
    val (named, path) = somewhere()
    val sql = Option.when(dice.oneIn(2))(paths.colonPath(path.steps).map(p => s"${named.sql}:$p"))
    val get = if (path.steps.isEmpty) None else paths.getPath(path.steps)
    sql.flatten
      .orElse(get.map(p => s"variant_get(${named.sql}, ${quoted(p)})"))
      .fold((named.sql, named.samples))(_ -> path.samples)
  }

  private def whole(): Term = Term(variant()._1, VariantType, () => Vector())

  private def flag(): Term = {
    val (sql, _) = variant()
    val test = dice.pick(Vector(s"is_variant_null($sql)", s"$sql IS NULL", s"$sql IS NOT NULL"))
    Term(s"($test)", BooleanType, () => Vector("true", "false"))
  }

  private def somewhere(): (NamedVariant, FoundPath) = {
    val known = Option.when(asked.nonEmpty && dice.oneIn(2)) {
      val (named, path) = dice.pick(asked)
      dice.below(3) match {
        case 0 => (named, path)
        case 1 =>
          val below = paths.walk(path.samples)
          (named, FoundPath(path.steps ++ below.steps, below.samples))
        case _ =>
          // Somewhere above or beside it.
          val start = at(named.samples, path.steps.dropRight(1 + dice.below(2)))
          val below =
            if (dice.oneIn(2)) FoundPath(Vector(), start.samples) else paths.walk(start.samples)
          (named, FoundPath(start.steps ++ below.steps, below.samples))
      }
    }
    val found = known.getOrElse {
      val named = dice.pick(scope.variants)
      (named.copy(sql = inSomeCase(named.sql)), paths.walk(named.samples))
    }
    asked = asked :+ found
    found
  }

  private def at(
      samples: Vector[VariantTree],
      steps: Vector[io.github.variantshredded.extraction.PathStep]
  ): FoundPath = {
    import io.github.variantshredded.extraction.PathStep
    FoundPath(
      steps,
      steps.foldLeft(samples) {
        case (all, PathStep.Field(name)) => all.collect { case Obj(f) => f.toMap.get(name) }.flatten
        case (all, PathStep.Element(index)) => all.collect { case Arr(e) => e.lift(index) }.flatten
      }
    )
  }

  /** A Variant as a value of another type. */
  def extraction(nested: Boolean): Term = {
    val (named, found) = somewhere()
    // Strict casts are refused by single values, and the whole query with them.
    val strict = dice.oneIn(3)
    val careful = strict && !dice.oneIn(8)
    val target =
      if (nested) targets.target(found.samples, careful)
      else if (careful) scalarOf(targets.target(found.samples, careful = true))
      else targets.scalar(found.samples)
    val get = paths.getPath(found.steps)
    val colon = paths.colonPath(found.steps).map(p => s"${named.sql}:$p")
    val variant = colon.orElse(
      if (found.steps.isEmpty) Some(named.sql)
      else get.map(p => s"variant_get(${named.sql}, ${quoted(p)})")
    )
    val sqlType = target.sql
    val forms =
      if (strict) {
        variant.map(v => s"$v::$sqlType").toVector ++ variant.map(v => s"cast($v AS $sqlType)") ++
          get.map(p => s"variant_get(${named.sql}, ${quoted(p)}, ${quoted(sqlType)})")
      } else {
        variant.map(v => s"try_cast($v AS $sqlType)").toVector ++
          get.map(p => s"try_variant_get(${named.sql}, ${quoted(p)}, ${quoted(sqlType)})")
      }
    if (forms.isEmpty) ordinary()
    else {
      Term(
        dice.pick(forms),
        target,
        () => dice.some(found.samples, 6).flatMap(SampleCast.literal(_, target))
      )
    }
  }

  private def scalarOf(target: DataType): DataType = target match {
    case _: StructType | _: ArrayType | _: MapType | VariantType => StringType
    case scalar                                                  => scalar
  }

  /** A part of a value that has parts. */
  private def inside(term: Term): Term = term.dataType match {
    case struct: StructType if struct.nonEmpty =>
      val field = dice.pick(struct.fields.toSeq)
      val name = s"`${field.name.replace("`", "``")}`"
      inside(Term(s"(${term.sql}).$name", field.dataType, () => Vector()))
    case ArrayType(element, _) =>
      if (dice.oneIn(3)) Term(s"size(${term.sql})", IntegerType, () => Vector("0", "1", "2"))
      else inside(Term(s"get(${term.sql}, ${dice.below(3)})", element, () => Vector()))
    case MapType(_, value, _) =>
      val key = quoted(Shape.fieldName(dice))
      inside(Term(s"try_element_at(${term.sql}, $key)", value, () => Vector()))
    case _ => term
  }

  private def computed(): Term = {
    val one = scalar()
    dice.below(6) match {
      case 0 =>
        val other = one.literals().headOption.getOrElse("NULL")
        one.copy(sql = s"coalesce(${one.sql}, $other)")
      case 1 =>
        val test = flag()
        one.copy(sql = s"if(${test.sql}, ${one.sql}, NULL)")
      case 2 => text(s"concat(cast(${one.sql} AS STRING), '-')")
      case 3 =>
        Term(s"length(cast(${one.sql} AS STRING))", IntegerType, () => Vector("0", "2", "3"))
      case 4 =>
        val test = scalar()
        one.copy(sql = s"CASE WHEN ${test.sql} IS NULL THEN NULL ELSE ${one.sql} END")
      case _ => Term(s"hash(${one.sql})", IntegerType, () => Vector("0"))
    }
  }

  def quoted(text: String): String = Literal(text).sql
}
