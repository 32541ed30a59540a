package io.github.variantshredded.replace

import io.github.variantshredded.optimizer.{PruningSubqueries, ScanRule}
import org.apache.spark.sql.catalyst.expressions.{
  DynamicPruning,
  DynamicPruningSubquery,
  Expression,
  SubqueryExpression
}
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

  private def inSubqueries: PartialFunction[Expression, Expression] = {
    // Spark compares its plan with that of one side of a join, which gets the same replacements.
    case pruning: DynamicPruningSubquery =>
      val keys = pruning.buildKeys.map(_.transform(replacement))
      PruningSubqueries.withBuild(pruning, rewrite(pruning.buildQuery), keys)
    case pruning: DynamicPruning      => pruning
    case subquery: SubqueryExpression => subquery.withNewPlan(rewrite(subquery.plan))
  }
}
