package io.github.variantshredded.optimizer

import org.apache.spark.sql.catalyst.expressions.{DynamicPruning, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION

/**
 * Optimizer rule: what a query extracts from a Variant, the scan delivers as columns.
 *
 * Put into each session that uses this source; it leaves plans without such a scan alone. It runs
 * behind Spark's own rules, once the scans have been built, and more than once for subqueries that
 * become joins: extractions are added to those a scan has.
 */
object PushVariantExtractions extends ScanRule {

  override protected def rewrite(plan: LogicalPlan): LogicalPlan = {
    val inner = plan.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
      case pruning: DynamicPruning      => pruning
      case subquery: SubqueryExpression => subquery.withNewPlan(rewrite(subquery.plan))
    }
    val pushed = PushDown(inner, Nil, Set.empty).plan
    val pruned =
      if (pushed.fastEquals(inner)) inner else PruningSubqueries(inner, ScanPruning(pushed))
    Explanations(pruned)
  }
}
