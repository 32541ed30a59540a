package io.github.variantshredded.takeover

import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.plans.logical._

/** Finds the columns that a plan reads from its relations. */
private[takeover] object ReadColumns {

  /**
   * Returns the columns that an expression of the plan uses, the columns of the plan's result, and
   * the columns below operators that pass them on by their position.
   */
  def apply(plan: LogicalPlan): Set[ExprId] = {
    val used = plan.collect { case operator =>
      val passedOn = if (passesOnById(operator)) Nil else operator.children.flatMap(_.output)
      (operator.references.iterator ++ passedOn.iterator).map(_.exprId).toSeq
    }
    (used.flatten ++ plan.output.map(_.exprId)).toSet
  }

  /** Returns whether each column that the operator passes on keeps its id. */
  private def passesOnById(operator: LogicalPlan): Boolean = operator match {
    case _: Project | _: Aggregate | _: Filter | _: Join | _: Sort | _: Window | _: Generate => true
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Sample | _: SubqueryAlias | _: Expand =>
      true
    case _: RepartitionOperation | _: ResolvedHint | _: RebalancePartitions | _: CollectMetrics =>
      true
    case _ => false
  }
}
