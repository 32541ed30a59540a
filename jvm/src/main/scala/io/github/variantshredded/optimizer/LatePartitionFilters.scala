package io.github.variantshredded.optimizer

import io.github.variantshredded.spark.Conjunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}

/**
 * Lets scans choose files by predicates on partition columns that Spark moves to a scan only after
 * it has been built, such as those of a subquery that becomes a join. The predicates stay above the
 * scan.
 */
private[optimizer] object LatePartitionFilters {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(condition, ScanNode(node)) =>
      val columns = node.partitions
      val known = ExpressionSet(node.scan.pushed.filters.partition)
      val late = Conjunction
        .split(condition)
        .filter(choosesFiles(_, AttributeSet(columns.keys)))
        .map(_.transform { case column: AttributeReference => column.withName(columns(column)) })
        .filterNot(known.contains)
      if (late.isEmpty) filter
      else {
        val pushed = node.scan.pushed.withPartitionFilters(late)
        filter.copy(child =
          ScanNode.rebuild(node.relation, node.scan.copy(pushed = pushed), node.output)
        )
      }
  }

  private def choosesFiles(predicate: Expression, partitions: AttributeSet): Boolean =
    predicate.deterministic && predicate.references.nonEmpty &&
      predicate.references.subsetOf(partitions) && !predicate.exists(isUnevaluable)

  private def isUnevaluable(expression: Expression): Boolean = expression match {
    case _: Attribute                           => false
    case _: Unevaluable | _: SubqueryExpression => true
    case _                                      => false
  }
}
