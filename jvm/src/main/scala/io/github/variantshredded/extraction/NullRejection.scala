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
  def rejected(conjuncts: Seq[Expression]): Set[PlanVariant] =
    rejectedBy(conjuncts, evaluated = conjuncts)

  /**
   * Returns the same for one side of a join, whose keys are evaluated in each row of this side,
   * whatever the rows of the other side are.
   */
  def rejectedInJoin(conjuncts: Seq[Expression], side: AttributeSet): Set[PlanVariant] = {
    val evaluated = conjuncts.map {
      case EqualTo(key, other) if areKeys(key, other, side) => key
      case EqualTo(other, key) if areKeys(key, other, side) => key
      case predicate                                        => predicate
    }
    rejectedBy(conjuncts, evaluated).filter(variant => side.exists(_.exprId == variant.attribute))
  }

  private def areKeys(key: Expression, other: Expression, side: AttributeSet): Boolean =
    key.references.subsetOf(side) && other.references.intersect(side).isEmpty

  private def rejectedBy(
      conjuncts: Seq[Expression],
      evaluated: Seq[Expression]
  ): Set[PlanVariant] =
    conjuncts
      .flatMap(variants)
      .distinct
      .filter(variant => conjuncts.exists(rejects(_, variant)))
      .filter(harmless(evaluated, _))
      .toSet

  /** Returns whether none of `expressions` can fail in a row in which `variant` is SQL NULL. */
  def harmless(expressions: Seq[Expression], variant: PlanVariant): Boolean =
    expressions.forall(cannotFail(_, variant))

  private def variants(expression: Expression): Seq[PlanVariant] =
    expression.collect { case Extractable(Right(extraction)) => extraction.variant }

  private def rejects(predicate: Expression, variant: PlanVariant): Boolean = predicate match {
    case And(left, right) => rejects(left, variant) || rejects(right, variant)
    case Or(left, right)  => rejects(left, variant) && rejects(right, variant)
    case _: IsNull        => false
    case Extractable(Right(PlanExtraction(`variant`, _, _))) => true
    case IsNotNull(child)                                    => nullFor(child, variant)
    case In(value, _)                                        => nullFor(value, variant)
    case InSet(value, _)                                     => nullFor(value, variant)
    case other                                               => nullFor(other, variant)
  }

  /** Returns whether `expression` is null in each row in which `variant` is SQL NULL. */
  private def nullFor(expression: Expression, variant: PlanVariant): Boolean = expression match {
    case Extractable(Right(PlanExtraction(at, _, _: ExtractionResult.Value))) => at == variant
    case Extractable(_)                                                       => false
    case other => other.nullIntolerant && other.children.exists(nullFor(_, variant))
  }

  private def cannotFail(expression: Expression, variant: PlanVariant): Boolean = expression match {
    case _: AttributeReference | _: Literal => true
    // A subquery without outer references is evaluated before the first row.
    case subquery: ScalarSubquery                        => subquery.children.isEmpty
    case Extractable(Right(PlanExtraction(at, _, what))) =>
      at == variant || (what match {
        case value: ExtractionResult.Value => !value.failOnError || value == Extractable.SubVariant
        case _: ExtractionResult.Flag      => true
      })
    case _: And | _: Or | _: Not | _: BinaryComparison | _: IsNull | _: IsNotNull | _: In |
        _: InSet | _: StringPredicate | _: Coalesce | _: If | _: CaseWhen =>
      expression.children.forall(cannotFail(_, variant))
    case cast: Cast if cast.evalMode == EvalMode.TRY => cannotFail(cast.child, variant)
    case other                                       =>
      // A null operand makes the result null before anything is computed.
      other.nullIntolerant && other.deterministic && other.children.exists(nullFor(_, variant)) &&
      other.children.forall(cannotFail(_, variant))
  }
}
