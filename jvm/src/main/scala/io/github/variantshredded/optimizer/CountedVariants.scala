package io.github.variantshredded.optimizer

import io.github.variantshredded.extraction.{Extractable, ExtractionResult, PlanExtraction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.COUNT
import org.apache.spark.sql.types.BooleanType

/**
 * Lets `count` of Variants ask whether there is a value, so that a scan does not rebuild it:
 * `count(v)` becomes `count(if (v IS NOT NULL) true else null)`. `count(DISTINCT v)` stays, as it
 * compares values.
 */
private[optimizer] object CountedVariants {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithPruning(_.containsPattern(COUNT)) {
    case operator if operator.children.size == 1 =>
      operator.transformExpressionsWithPruning(_.containsPattern(COUNT)) {
        case call @ AggregateExpression(count: Count, _, isDistinct, _, _) if !isDistinct =>
          val arguments = count.children.map(counted(operator.children.head, _))
          call.copy(aggregateFunction = count.copy(children = arguments))
      }
  }

  private def counted(child: LogicalPlan, argument: Expression): Expression =
    Extractable.subVariant(argument).fold(argument) { case (variant, path) =>
      val isPresent = PlanExtraction(variant, path, ExtractionResult.IsPresent)
      if (Deliverable(child, Request.Extract(isPresent))) {
        If(IsNotNull(argument), TrueLiteral, Literal(null, BooleanType))
      } else {
        argument
      }
    }

  /** Matches the argument of such a `count` after the scan delivers whether there is a value. */
  object Flag {
    def unapply(argument: Expression): Option[Attribute] = argument match {
      case If(flag: Attribute, TrueLiteral, Literal(null, BooleanType)) => Some(flag)
      case _                                                            => None
    }
  }
}
