package io.github.variantshredded.optimizer

import scala.collection.mutable

import io.github.variantshredded.extraction.{ErrorOf, ValueOrError}
import io.github.variantshredded.spark.StructNarrowing
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{ColumnPruning, RemoveNoopOperators}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Removes from scans the columns that no operator reads any more. */
private[variantshredded] object ScanPruning {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val pruned = settled(plan, rounds = 5)
    val columns = renumbered(withoutUnread(pruned))
    RemoveNoopOperators(nestedColumns(columns))
  }

  private def settled(plan: LogicalPlan, rounds: Int): LogicalPlan = {
    val next = RemoveNoopOperators(ColumnPruning(plan))
    if (rounds == 1 || next.fastEquals(plan)) next else settled(next, rounds - 1)
  }

  /** Returns the plan, and for each column of errors the new index of each extraction. */
  private def withoutUnread(plan: LogicalPlan): (LogicalPlan, Map[ExprId, Map[Int, Int]]) = {
    val read = mutable.Set.from(plan.output.map(_.exprId))
    plan.foreach {
      case ScanNode(_) =>
      case operator    =>
        read ++= operator.references.map(_.exprId)
        if (!selects(operator)) read ++= operator.children.flatMap(_.output).map(_.exprId)
    }
    val indexes = Map.newBuilder[ExprId, Map[Int, Int]]
    val pruned = plan.transform { case ScanNode(node) =>
      val (relation, kept) = node.prune(read)
      if (node.scan.pushed.extractions.nonEmpty) indexes += node.output.last.exprId -> kept
      relation
    }
    (pruned, indexes.result())
  }

  /**
   * Returns whether an operator delivers columns of its children only if an expression names them.
   */
  private def selects(plan: LogicalPlan): Boolean = plan match {
    case _: Project | _: Aggregate | _: Expand | _: Filter | _: Join => true
    case _: Generate                                                 => false
    case other                                                       => PushDown.passesOn(other)
  }

  private def renumbered(
      planAndIndexes: (LogicalPlan, Map[ExprId, Map[Int, Int]])
  ): LogicalPlan = {
    val (plan, indexes) = planAndIndexes
    val moved = indexes.filter { case (_, kept) => kept.exists { case (old, now) => old != now } }
    if (moved.isEmpty) plan
    else {
      def now(errors: Expression, index: Int): Int = errors match {
        case column: Attribute => moved.get(column.exprId).fold(index)(_(index))
        case _                 => index
      }
      plan.transformAllExpressions {
        case value: ValueOrError => value.copy(index = now(value.errors, value.index))
        case error: ErrorOf      => error.copy(index = now(error.errors, error.index))
      }
    }
  }

  /** Removes struct fields of scans that were needed only for extractions. */
  private def nestedColumns(plan: LogicalPlan): LogicalPlan =
    if (!SQLConf.get.nestedSchemaPruningEnabled) plan
    else {
      plan.transform { case project @ Project(list, child) =>
        relationBelow(child)
          .flatMap { case (node, predicates) =>
            fewerFields(node, list, predicates).map { case (relation, narrowed) =>
              val named = StructNarrowing.naming(node.output)
              def narrow(e: Expression): Expression =
                named(e).transform { case narrowed(field) => field }
              val below = child.transform {
                case ScanNode(_)    => relation
                case filter: Filter => filter.copy(condition = narrow(filter.condition))
              }
              // A whole column keeps the name that the query gives it.
              val fields = list.map {
                case column: Attribute => column
                case other             => narrow(other).asInstanceOf[NamedExpression]
              }
              Project(fields, below)
            }
          }
          .getOrElse(project)
      }
    }

  private def relationBelow(plan: LogicalPlan): Option[(ScanNode, Seq[Expression])] = plan match {
    case Filter(condition, child) =>
      relationBelow(child).map { case (node, predicates) => (node, condition +: predicates) }
    case ScanNode(node) if node.scan.pushed.extractions.nonEmpty => Some((node, Nil))
    case _                                                       => None
  }

  private def fewerFields(
      node: ScanNode,
      list: Seq[NamedExpression],
      predicates: Seq[Expression]
  ): Option[(LeafNode, ProjectionOverSchema)] = {
    val schema = node.scan.readDataSchema
    val columns = node.output.take(schema.size)
    val asColumns = StructType(
      columns.zip(schema).map { case (c, field) => field.copy(name = c.name) }
    )
    val used = StructNarrowing.used(asColumns, columns, list ++ predicates)
    val fields = columns.zip(schema).map { case (column, field) =>
      val extracted = node.scan.pushed.extractions.exists(_.column.head == field.name)
      if (extracted) field.copy(dataType = used(column.name).dataType) else field
    }
    if (fields == schema.fields.toSeq) None
    else {
      val output = columns.zip(fields).map { case (c, f) => c.withDataType(f.dataType) }
      val relation = ScanNode.rebuild(
        node.relation,
        node.scan.copy(columns = node.scan.columns.copy(data = StructType(fields))),
        output.collect { case a: AttributeReference => a } ++ node.output.drop(schema.size)
      )
      val changed = output.zip(columns).filter { case (a, b) => a.dataType != b.dataType }
      val narrow = StructType(changed.map { case (a, _) =>
        asColumns(a.name).copy(dataType = a.dataType)
      })
      Some((relation, ProjectionOverSchema(narrow, AttributeSet(changed.map(_._1)))))
    }
  }
}
