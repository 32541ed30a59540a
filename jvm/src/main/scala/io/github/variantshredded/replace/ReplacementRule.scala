package io.github.variantshredded.replace

import io.github.variantshredded.optimizer.ScanRule
import org.apache.spark.sql.catalyst.expressions.{DynamicPruning, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.{PLAN_EXPRESSION, TreePattern}

/**
 * Optimizer rule: replaces an expression of Spark by a quicker one with the same answer, in plans that
 * read this source, and in their subqueries.
 *
 * @param pattern
 *   a pattern of every tree that holds such an expression
 */
abstract class ReplacementRule(pattern: TreePattern) extends ScanRule {

  /** Gives the replacement; defined for the expressions that are replaced. */
  protected def replacement: PartialFunction[Expression, Expression]

  final override protected def rewrite(plan: LogicalPlan): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsAnyPattern(pattern, PLAN_EXPRESSION))(
      inSubqueries.orElse(replacement)
    )

  // Spark compares the plan of a dynamic pruning subquery with the plan that it prunes by.
  private def inSubqueries: PartialFunction[Expression, Expression] = {
    case pruning: DynamicPruning      => pruning
    case subquery: SubqueryExpression => subquery.withNewPlan(rewrite(subquery.plan))
  }
}
