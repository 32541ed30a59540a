package io.github.variantshredded.optimizer

import scala.collection.mutable

import io.github.variantshredded.extraction.Extractable
import io.github.variantshredded.shredding.VariantTypes
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._

/** Records in each scan, for EXPLAIN, why it still reads a whole Variant. */
private[variantshredded] object Explanations {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val reasons = new Reasons(plan)
    plan.transform { case ScanNode(node) =>
      val declined = node.variants.flatMap(column => reasons.of(column.exprId)).distinct
      if (declined == node.scan.pushed.declined) node.relation
      else {
        ScanNode.rebuild(
          node.relation,
          node.scan.copy(pushed = node.scan.pushed.copy(declined = declined)),
          node.output
        )
      }
    }
  }

  private final class Reasons(plan: LogicalPlan) {
    // The scan column of each column that passes on a Variant of a scan unchanged.
    private val origins = mutable.Map.empty[ExprId, (ExprId, String)]
    private val full = mutable.Set.empty[ExprId]
    private val reasons = mutable.LinkedHashMap.empty[ExprId, Vector[String]]

    plan.foreachUp {
      case ScanNode(node) =>
        if (node.scan.pushed.extractions.size >= ScanNode.MaxExtractions) {
          full ++= node.output.map(_.exprId)
        }
        node.variants.foreach { column =>
          node
            .columnOf(column.exprId)
            .foreach(name => origins(column.exprId) = column.exprId -> name)
        }
      case project: Project =>
        project.projectList.foreach {
          case alias @ Alias(child, _) =>
            Extractable.columnPath(child).flatMap(at => origins.get(at.attribute)) match {
              case Some(origin) if VariantTypes.hasVariant(alias.dataType) =>
                origins(alias.exprId) = origin
              case _ => explain(project, alias.child)
            }
          case _: Attribute => ()
          case other        => explain(project, other)
        }
      case expand: Expand =>
        expand.projections.flatten.foreach {
          case _: Attribute => ()
          case other        => explain(expand, other)
        }
      case _: LeafNode => ()
      case operator    =>
        operator.expressions.foreach(explain(operator, _))
        if (!PushDown.passesOn(operator) && !keepsColumns(operator)) {
          operator.children.flatMap(_.output).foreach(explain(operator, _))
        }
    }
    plan.output.foreach { column =>
      origins.get(column.exprId).foreach { case (scanned, name) =>
        if (!reasons.contains(scanned)) add(scanned, s"$name: it is in the result as a whole")
      }
    }

    def of(column: ExprId): Seq[String] = reasons.getOrElse(column, Nil)

    private def keepsColumns(plan: LogicalPlan): Boolean = plan match {
      case _: Filter | _: Join | _: Aggregate | _: WithCTE => true
      case _                                               => false
    }

    private def explain(operator: LogicalPlan, expression: Expression): Unit =
      expression match {
        case Extractable(Left(reason)) if comesFromScan(expression) =>
          tell(expression, s"${expression.sql}: $reason")
        case Extractable(Right(extraction)) if comesFromScan(expression) =>
          val isFull = origins.get(extraction.variant.attribute).exists(o => full(o._1))
          val reason =
            if (isFull) s"more than ${ScanNode.MaxExtractions} extractions of one scan"
            else "an operator between the expression and the scan does not pass it on"
          tell(expression, s"${expression.sql}: $reason")
        case column: Attribute =>
          origins.get(column.exprId).foreach { case (scanned, name) =>
            if (VariantTypes.hasVariant(column.dataType)) {
              add(scanned, s"$name: ${operator.nodeName} reads it as a whole")
            }
          }
        case field: GetStructField if !VariantTypes.hasVariant(field.dataType) => ()
        case other => other.children.foreach(explain(operator, _))
      }

    private def comesFromScan(expression: Expression): Boolean =
      expression.references.exists(column => origins.contains(column.exprId))

    private def tell(expression: Expression, text: String): Unit =
      expression.references.foreach { column =>
        origins.get(column.exprId).foreach { case (scanned, _) => add(scanned, text) }
      }

    private def add(scanned: ExprId, text: String): Unit = {
      val before = reasons.getOrElse(scanned, Vector.empty)
      if (!before.contains(text)) reasons(scanned) = before :+ text
    }
  }
}
