package io.github.variantshredded.takeover

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Collects the predicates that a plan evaluates on the rows of its relations. */
private[takeover] final class RelationFilters private (
    found: Seq[(LogicalPlan, Seq[Expression])]
) {

  /** Returns predicates that all rows meet that the plan needs of a relation. */
  def of(relation: LogicalPlan): Seq[Expression] =
    found.filter(_._1 eq relation).map(_._2) match {
      // Plans can share a relation, and each of them may need other rows.
      case Seq(only) => only
      case _         => Nil
    }

  /** Returns the predicates on a relation in all places where the plan reads it. */
  def any(relation: LogicalPlan): Seq[Expression] = found.filter(_._1 eq relation).flatMap(_._2)
}

private[takeover] object RelationFilters {

  def apply(plan: LogicalPlan): RelationFilters = new RelationFilters(topmost(plan))

  private def topmost(plan: LogicalPlan): Seq[(LogicalPlan, Seq[Expression])] = plan match {
    case PhysicalOperation(_, filters, leaf) if leaf.children.isEmpty => Seq(leaf -> filters)
    case other => other.children.flatMap(topmost)
  }
}
