package io.github.variantshredded.optimizer

import scala.util.control.NonFatal

import io.github.variantshredded.read.options.ReadOptions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

/**
 * Limits an optimizer rule to plans that read this source. It does not change other plans, and it
 * changes no plan if the setting `pushDownExtractions` is off.
 */
abstract class ScanRule extends Rule[LogicalPlan] {

  /** Rewrites a plan that reads this source, here or in a subquery. */
  protected def rewrite(plan: LogicalPlan): LogicalPlan

  final override def apply(plan: LogicalPlan): LogicalPlan =
    if (!enabled || !ScanNode.isIn(plan)) plan
    else {
      try rewrite(plan)
      catch {
        // A query on tables of other sources must not fail because of this source.
        case e @ (NonFatal(_) | _: LinkageError) if ScanNode.isTakenOverIn(plan) =>
          logWarning("The query is planned without push-down of extractions", e)
          plan
      }
    }

  private def enabled: Boolean =
    ReadOptions.setting(ReadOptions.PushDownExtractions, SQLConf.get)
}
