package io.github.variantshredded.optimizer

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * Holds a plan whose scans deliver extractions.
 *
 * @param plan
 *   the new plan; its output is that of the old plan, followed by the columns of the grants
 * @param grants
 *   the expressions that replace the requests that could be met
 */
private[variantshredded] final case class Pushed(plan: LogicalPlan, grants: Map[Request, Grant])
