package io.github.variantshredded.optimizer

import io.github.variantshredded.spark.PlanCopies
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Expression, ExprId}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY

/**
 * Rewrites the subqueries of dynamic partition pruning. Spark puts a copy of one side of a join
 * into a filter on the other side, and reuses the join's broadcast if both are equal when they are
 * planned. So if the side has been rewritten, the copy is replaced by the rewritten side.
 */
private[variantshredded] object PruningSubqueries {

  /**
   * One side of a join.
   *
   * @param pruned
   *   the subqueries in the other side
   */
  private final case class Side(plan: LogicalPlan, keys: Seq[Expression], pruned: Set[ExprId]) {

    /**
     * Returns whether the subquery is a copy of this side. Filters may have been moved in the side
     * since then, but its columns are the same.
     */
    def isOf(pruning: DynamicPruningSubquery): Boolean =
      pruned(pruning.exprId) && keys.size == pruning.buildKeys.size && {
        keys.zip(pruning.buildKeys).forall { case (key, copy) => key.semanticEquals(copy) } ||
        plan.sameResult(pruning.buildQuery) &&
        normalized(keys, plan) == normalized(pruning.buildKeys, pruning.buildQuery)
      }

    private def normalized(keys: Seq[Expression], plan: LogicalPlan): Seq[Expression] =
      keys.map(QueryPlan.normalizeExpressions(_, plan.output).canonicalized)
  }

  /**
   * Returns `after` with its pruning subqueries rewritten.
   *
   * @param before
   *   the plan that was rewritten to `after`; the joins of the two are the same
   */
  def apply(before: LogicalPlan, after: LogicalPlan): LogicalPlan =
    if (!after.containsPattern(DYNAMIC_PRUNING_SUBQUERY) || after.fastEquals(before)) after
    else {
      val (old, now) = (sides(before), sides(after))
      if (old.size != now.size) after
      else {
        val rewritten = old.zip(now)
        // A side can have pruning subqueries too. Those of the two sides of one join can be copies of
        // each other.
        def rewrite(plan: LogicalPlan, within: Set[ExprId]): LogicalPlan =
          plan.transformAllExpressionsWithPruning(_.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) {
            case pruning: DynamicPruningSubquery if !within(pruning.exprId) =>
              rewritten
                .collectFirst { case (side, to) if side.isOf(pruning) => (side.pruned, to) }
                .fold(pruning) { case (pruned, to) =>
                  withBuild(pruning, rewrite(to.plan, within ++ pruned), to.keys)
                }
          }
        rewrite(after, Set.empty)
      }
    }

  /** Returns a pruning subquery with another plan and other keys in it. */
  def withBuild(
      pruning: DynamicPruningSubquery,
      query: LogicalPlan,
      keys: Seq[Expression]
  ): DynamicPruningSubquery =
    PlanCopies.withFields(pruning, "buildQuery" -> query, "buildKeys" -> keys)

  private def sides(plan: LogicalPlan): Seq[Side] =
    plan
      .collect { case join: Join => join }
      .flatMap {
        case ExtractEquiJoinKeys(_, leftKeys, rightKeys, _, _, left, right, _) =>
          Seq(Side(left, leftKeys, prunedIn(right)), Side(right, rightKeys, prunedIn(left)))
        case _ => Nil
      }

  private def prunedIn(plan: LogicalPlan): Set[ExprId] =
    if (!plan.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) Set.empty
    else {
      plan
        .collect { case node if node.containsPattern(DYNAMIC_PRUNING_SUBQUERY) => node.expressions }
        .flatten
        .flatMap(_.collect { case pruning: DynamicPruningSubquery => pruning.exprId })
        .toSet
    }
}
