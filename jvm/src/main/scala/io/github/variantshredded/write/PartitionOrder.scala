package io.github.variantshredded.write

import scala.annotation.tailrec

import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  AttributeMap,
  Expression,
  SortOrder => PlanOrder
}
import org.apache.spark.sql.catalyst.optimizer.{EliminateSorts, FoldablePropagation}
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  Filter,
  LogicalPlan,
  Offset,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  Project,
  Sort,
  UnaryNode,
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
    case Some(write: VariantWrite) if !isChecked(command.query) =>
      val query = command.query
      val columns = varying(write.partitionColumns.flatMap(columnOf(query, _)), query)
      if (columns.isEmpty || isSorted(query, columns)) command
      else command.withNewQuery(sorted(query, columns))
    case _ => command
  }

  private def sorted(query: LogicalPlan, columns: Seq[Expression]): LogicalPlan = {
    val found = query.outputOrdering
    val isKnown = found.forall(_.resolved)
    val onTop = Sort(by(columns, if (isKnown) found else Nil), global = false, query)
    sortOf(query) match {
      case None                                                 => onTop
      case Some(own) if isKnown && own.order.size == found.size => EliminateSorts(onTop)
      // A sort that Spark could not tell to be by these columns would be added again and again.
      case _ => sortedBelow(query, columns).filter(isSorted(_, columns)).getOrElse(onTop)
    }
  }

  /**
   * Returns whether the query checks its columns for nulls (`NOT NULL`), which is added to a
   * query after its sort.
   */
  private def isChecked(query: LogicalPlan): Boolean = query match {
    case Project(list, _) =>
      list.exists {
        case alias: Alias => alias.references.contains(alias.toAttribute)
        case _            => false
      }
    case _ => false
  }

  /** Returns the sort of the query, if only columns and filters come after it. */
  @tailrec
  private def sortOf(query: LogicalPlan): Option[Sort] = query match {
    case sort: Sort                                           => Some(sort)
    case Project(list, child) if list.forall(_.deterministic) => sortOf(child)
    case Filter(condition, child) if condition.deterministic  => sortOf(child)
    case _                                                    => None
  }

  /**
   * Returns the query with its own sort extended by the columns. What comes after that sort may drop
   * or cast what it sorts by, so that a sort on top could not keep the order.
   */
  private def sortedBelow(query: LogicalPlan, columns: Seq[Expression]): Option[LogicalPlan] =
    query match {
      case sort: Sort =>
        val below = if (sort.global) sort else sort.child
        Some(Sort(by(columns, sort.order), global = false, below))
      case project @ Project(list, child) if list.forall(_.deterministic) =>
        val definitions = AttributeMap(list.collect { case alias: Alias =>
          alias.toAttribute -> alias.child
        })
        val defined = columns.map(_.transformUp { case column: Attribute =>
          definitions.getOrElse(column, column)
        })
        sortedBelow(child, defined).map(sorted => project.copy(child = sorted))
      case filter @ Filter(condition, child) if condition.deterministic =>
        sortedBelow(child, columns).map(sorted => filter.copy(child = sorted))
      case _ => None
    }

  /** Returns the order by the columns, and then by those of the other order that they are not. */
  private def by(columns: Seq[Expression], order: Seq[PlanOrder]): Seq[PlanOrder] =
    ascending(columns) ++
      order.filterNot(other => columns.exists(_.semanticEquals(other.child)))

  private def ascending(columns: Seq[Expression]): Seq[PlanOrder] =
    columns.map(PlanOrder(_, Ascending))

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
      FoldablePropagation(Sort(ascending(columns), global = false, query)) match {
        case Sort(order, _, _, _) => order.map(_.child).filterNot(_.foldable)
        case _                    => columns
      }

  private def isSorted(query: LogicalPlan, columns: Seq[Expression]): Boolean = {
    val first = query.outputOrdering.take(columns.size)
    def isBy(order: PlanOrder, column: Expression) =
      order.children.exists(_.semanticEquals(column))
    keepsOrder(query) && columns.forall(column => first.exists(isBy(_, column))) &&
    first.forall(order => columns.exists(isBy(order, _)))
  }

  /** Returns whether the query has no `OFFSET` after its sort, which puts the rows of tasks together. */
  @tailrec
  private def keepsOrder(query: LogicalPlan): Boolean = query match {
    case _: Sort          => true
    case _: Offset        => false
    case unary: UnaryNode => keepsOrder(unary.child)
    case _                => true
  }
}
