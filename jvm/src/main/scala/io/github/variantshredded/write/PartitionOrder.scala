package io.github.variantshredded.write

import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Expression,
  SortOrder => PlanOrder
}
import org.apache.spark.sql.catalyst.optimizer.{EliminateSorts, FoldablePropagation}
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  Sort,
  V2WriteCommand
}
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.internal.SQLConf

/**
 * Sorts the rows of a write by the partition columns, so that a task has one file open at a time,
 * and keeps the order that the query gives the rows of a partition within a task.
 *
 * A write can ask Spark for the order that it needs. But Spark then always adds a sort, also to rows
 * that are in this order, and drops the sorts below it that hold within tasks. So the optimizer rule
 * of a session adds the sort, after Spark has dropped what it regards as needless.
 */
private[variantshredded] object PartitionOrder {

  /** Marks the optimizer rule that calls [[sorted]] for the writes of its session. */
  trait SortsWrites

  /** Returns whether a rule of the active session sorts the rows of its writes. */
  def isOfSession: Boolean = SparkSession.active match {
    case session: classic.SparkSession =>
      session.experimental.extraOptimizations.exists(_.isInstanceOf[SortsWrites])
    case _ => false
  }

  /**
   * Returns the command with the sort that its write needs, if it is a write of this source. The
   * rows of a partition must come one after the other, so the order of the partition columns and
   * their directions do not matter. A column that has one value does not matter either.
   */
  def sorted(command: V2WriteCommand): V2WriteCommand = writeOf(command) match {
    case Some(write: VariantWrite) =>
      val query = command.query
      val columns = varying(write.partitionColumns.flatMap(columnOf(query, _)), query)
      val found = query.outputOrdering
      if (beginsWith(found, columns)) command
      else {
        val rest = found.filterNot(order => columns.exists(_.semanticEquals(order.child)))
        val order = columns.map(PlanOrder(_, Ascending)) ++ rest
        command.withNewQuery(EliminateSorts(Sort(order, global = false, query)))
      }
    case _ => command
  }

  private def writeOf(command: V2WriteCommand): Option[Write] = command match {
    case append: AppendData                    => append.write
    case overwrite: OverwriteByExpression      => overwrite.write
    case overwrite: OverwritePartitionsDynamic => overwrite.write
    case _                                     => None
  }

  private def columnOf(query: LogicalPlan, name: String): Option[Attribute] =
    query.output.find(column => SQLConf.get.resolver(column.name, name))

  /** Returns the columns that are no constants, as Spark does for its own file sources. */
  private def varying(columns: Seq[Attribute], query: LogicalPlan): Seq[Expression] =
    if (columns.isEmpty) columns
    else
      FoldablePropagation(Sort(columns.map(PlanOrder(_, Ascending)), global = false, query)) match {
        case Sort(order, _, _, _) => order.map(_.child).filterNot(_.foldable)
        case _                    => columns
      }

  private def beginsWith(found: Seq[PlanOrder], columns: Seq[Expression]): Boolean =
    found.size >= columns.size && columns.forall { column =>
      found.take(columns.size).exists(_.children.exists(_.semanticEquals(column)))
    }
}
