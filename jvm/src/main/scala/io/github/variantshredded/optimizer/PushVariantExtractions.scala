package io.github.variantshredded.optimizer

import org.apache.spark.sql.catalyst.expressions.{DynamicPruning, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION

/**
 * Lets scans deliver the extractions of a query as columns, as an optimizer rule.
 *
 * The rule is added to each session that uses this source, and does not change plans without scans
 * of this source. It runs after Spark's own rules, when the scans have been built, and again for
 * subqueries that become joins: new extractions are added to those that a scan has.
 */
object PushVariantExtractions extends ScanRule {

  override protected def rewrite(plan: LogicalPlan): LogicalPlan = {
    val inner = plan.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
      case pruning: DynamicPruning      => pruning
      case subquery: SubqueryExpression => subquery.withNewPlan(rewrite(subquery.plan))
    }
    val pushed = PushDown(CountedVariants(inner), Nil, Set.empty).plan
    val pruned = if (pushed.fastEquals(inner)) inner else ScanPruning(pushed)
    val chosen = LatePartitionFilters(pruned)
    PruningSubqueries(inner, FooterAggregates(Explanations(chosen)))
  }
}
