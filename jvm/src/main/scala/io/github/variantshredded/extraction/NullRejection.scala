package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

/**
 * Predicates that cannot hold for rows in which a Variant is SQL NULL. Spark puts `v IS NOT NULL`
 * before each predicate over `v`; where this tells that it adds nothing, nothing needs to be read
 * for it.
 */
private[variantshredded] object NullRejection {

  /**
   * Places at which a null makes the conjunction of `conjuncts` not true, without an error: no other
   * conjunct could fail in a row that `IS NOT NULL` would have kept from it.
   */
  def rejected(conjuncts: Seq[Expression]): Set[VariantPlace] =
    rejectedBy(conjuncts, evaluated = conjuncts)

  /**
   * The like for a side of a join, whose keys are evaluated in each row of that side, whatever the
   * other side holds.
   */
  def rejectedInJoin(conjuncts: Seq[Expression], side: AttributeSet): Set[VariantPlace] = {
    val evaluated = conjuncts.map {
      case EqualTo(key, other) if areKeys(key, other, side) => key
      case EqualTo(other, key) if areKeys(key, other, side) => key
      case condition                                        => condition
    }
    rejectedBy(conjuncts, evaluated).filter(place => side.exists(_.exprId == place.attribute))
  }

  private def areKeys(key: Expression, other: Expression, side: AttributeSet): Boolean =
    key.references.subsetOf(side) && other.references.intersect(side).isEmpty

  private def rejectedBy(
      conjuncts: Seq[Expression],
      evaluated: Seq[Expression]
  ): Set[VariantPlace] =
    conjuncts
      .flatMap(places)
      .distinct
      .filter(place => conjuncts.exists(rejects(_, place)))
      .filter(harmless(evaluated, _))
      .toSet

  /** Whether none of `expressions` fails in a row with a null at `place`. */
  def harmless(expressions: Seq[Expression], place: VariantPlace): Boolean =
    expressions.forall(cannotFail(_, place))

  private def places(expression: Expression): Seq[VariantPlace] =
    expression.collect { case Extractable(Right(extraction)) => extraction.place }

  private def rejects(predicate: Expression, place: VariantPlace): Boolean = predicate match {
    case And(left, right) => rejects(left, place) || rejects(right, place)
    case Or(left, right)  => rejects(left, place) && rejects(right, place)
    case _: IsNull        => false
    case Extractable(Right(Extraction(`place`, _, _))) => true
    case IsNotNull(child)                              => nullFor(child, place)
    case In(value, _)                                  => nullFor(value, place)
    case InSet(value, _)                               => nullFor(value, place)
    case other                                         => nullFor(other, place)
  }

  /** Whether `expression` is null in each row with a null at `place`. */
  private def nullFor(expression: Expression, place: VariantPlace): Boolean = expression match {
    case Extractable(Right(Extraction(at, _, _: Extracted.Value))) => at == place
    case Extractable(_)                                            => false
    case other => other.nullIntolerant && other.children.exists(nullFor(_, place))
  }

  private def cannotFail(expression: Expression, place: VariantPlace): Boolean = expression match {
    case _: AttributeReference | _: Literal => true
    // It has been computed before the first row is looked at.
    case subquery: ScalarSubquery                    => subquery.children.isEmpty
    case Extractable(Right(Extraction(at, _, what))) =>
      at == place || (what match {
        case value: Extracted.Value => !value.failOnError || value == Extractable.SubVariant
        case _                      => true
      })
    case _: And | _: Or | _: Not | _: BinaryComparison | _: IsNull | _: IsNotNull | _: In |
        _: InSet | _: StringPredicate | _: Coalesce | _: If | _: CaseWhen =>
      expression.children.forall(cannotFail(_, place))
    case cast: Cast if cast.evalMode == EvalMode.TRY => cannotFail(cast.child, place)
    case other                                       =>
      // A null operand is found out before anything is computed.
      other.nullIntolerant && other.deterministic && other.children.exists(nullFor(_, place)) &&
      other.children.forall(cannotFail(_, place))
  }
}
