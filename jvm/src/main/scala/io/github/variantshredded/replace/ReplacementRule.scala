package io.github.variantshredded.replace

import io.github.variantshredded.optimizer.ScanRule
import org.apache.spark.sql.catalyst.expressions.{DynamicPruning, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.{PLAN_EXPRESSION, TreePattern}

/**
 * Replaces an expression of Spark by a quicker one with the same result, as an optimizer rule, in
 * plans that read this source and in their subqueries.
 *
 * @param pattern
 *   a pattern of every tree that contains such an expression
 */
abstract class ReplacementRule(pattern: TreePattern) extends ScanRule {

  /** Returns the replacement, which is defined for the expressions that are replaced. */
  protected def replacement: PartialFunction[Expression, Expression]

  final override protected def rewrite(plan: LogicalPlan): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsAnyPattern(pattern, PLAN_EXPRESSION))(
      inSubqueries.orElse(replacement)
    )

  // Spark compares the plan of a dynamic pruning subquery with that of the join, so it is kept.
  private def inSubqueries: PartialFunction[Expression, Expression] = {
    case pruning: DynamicPruning      => pruning
    case subquery: SubqueryExpression => subquery.withNewPlan(rewrite(subquery.plan))
  }
}
