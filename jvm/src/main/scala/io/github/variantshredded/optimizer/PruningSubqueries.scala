package io.github.variantshredded.optimizer

import io.github.variantshredded.spark.PlanCopies
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Expression}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY

/**
 * Rewrites the subqueries of dynamic partition pruning. Spark puts a copy of one side of a join
 * into a filter on the other side, and reuses the join's broadcast if both are equal when they are
 * planned. So if the side has been rewritten, the copy is replaced by the rewritten side.
 */
private[variantshredded] object PruningSubqueries {

  private final case class Side(plan: LogicalPlan, keys: Seq[Expression], other: Seq[Expression])

  /**
   * Returns `after` with its pruning subqueries rewritten.
   *
   * @param before
   *   the plan that was rewritten to `after`
   */
  def apply(before: LogicalPlan, after: LogicalPlan): LogicalPlan =
    after.transformAllExpressionsWithPruning(_.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) {
      case pruning: DynamicPruningSubquery =>
        (joined(pruning, before), joined(pruning, after)) match {
          case (Seq(old), Seq(now)) if old.plan.sameResult(pruning.buildQuery) =>
            rebuild(pruning, now)
          case _ => pruning
        }
    }

  /** Returns the sides of joins, with the keys that are pruned on the other side. */
  private def joined(pruning: DynamicPruningSubquery, plan: LogicalPlan): Seq[Side] =
    plan
      .collect { case join: Join => join }
      .flatMap {
        case ExtractEquiJoinKeys(_, leftKeys, rightKeys, _, _, left, right, _) =>
          Seq(Side(left, leftKeys, rightKeys), Side(right, rightKeys, leftKeys))
        case _ => Nil
      }
      .filter { side =>
        side.keys.size == pruning.buildKeys.size &&
        pruning.broadcastKeyIndices.forall(side.other(_).semanticEquals(pruning.pruningKey))
      }

  // Spark 4.3 has one more parameter after these seven, which describes the keys if it is set.
  private def rebuild(pruning: DynamicPruningSubquery, side: Side): DynamicPruningSubquery =
    if (pruning.productIterator.drop(7).exists(_ != None)) pruning
    else PlanCopies.withFields(pruning, "buildQuery" -> side.plan, "buildKeys" -> side.keys)
}
