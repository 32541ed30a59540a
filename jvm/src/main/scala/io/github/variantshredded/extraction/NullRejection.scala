package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

/**
 * Finds predicates that are not true for rows in which a Variant is SQL NULL. Spark adds `v IS NOT
 * NULL` to each predicate over `v`. If such a predicate makes this test redundant, nothing has to
 * be read for the test.
 */
private[variantshredded] object NullRejection {

  /**
   * Returns the Variants that make the conjunction of `conjuncts` not true if they are SQL NULL,
   * and without an error: no other conjunct can fail in a row that `IS NOT NULL` would have
   * removed.
   */
  def rejected(conjuncts: Seq[Expression]): Set[VariantPlace] =
    rejectedBy(conjuncts, evaluated = conjuncts)

  /**
   * Returns the same for one side of a join, whose keys are evaluated in each row of this side,
   * whatever the rows of the other side are.
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

  /** Whether none of `expressions` can fail in a row in which `place` is SQL NULL. */
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

  /** Whether `expression` is null in each row in which `place` is SQL NULL. */
  private def nullFor(expression: Expression, place: VariantPlace): Boolean = expression match {
    case Extractable(Right(Extraction(at, _, _: Extracted.Value))) => at == place
    case Extractable(_)                                            => false
    case other => other.nullIntolerant && other.children.exists(nullFor(_, place))
  }

  private def cannotFail(expression: Expression, place: VariantPlace): Boolean = expression match {
    case _: AttributeReference | _: Literal => true
    // A subquery without outer references is evaluated before the first row.
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
      // A null operand makes the result null before anything is computed.
      other.nullIntolerant && other.deterministic && other.children.exists(nullFor(_, place)) &&
      other.children.forall(cannotFail(_, place))
  }
}
