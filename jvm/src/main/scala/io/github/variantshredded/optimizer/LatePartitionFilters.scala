package io.github.variantshredded.optimizer

import io.github.variantshredded.read.scan.RuntimeFilters
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
    predicate.references.nonEmpty && predicate.references.subsetOf(partitions) &&
      !predicate.exists(!isSafe(_))

  // Expressions that Spark does not pass at run time raise no errors either.
  private def isSafe(expression: Expression): Boolean = expression match {
    case _: InSet | _: Not | _: IsNull | _: IsNotNull => true
    case cast: Cast => Cast.canUpCast(cast.child.dataType, cast.dataType)
    case other      => RuntimeFilters.isTaken(other)
  }
}
