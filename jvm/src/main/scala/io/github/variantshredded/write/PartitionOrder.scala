package io.github.variantshredded.write

import scala.annotation.tailrec

import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  Expression,
  NamedExpression,
  SortOrder => PlanOrder
}
import org.apache.spark.sql.catalyst.optimizer.FoldablePropagation
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  BaseEvalPython,
  CollectMetrics,
  Filter,
  GlobalLimit,
  LocalLimit,
  LogicalPlan,
  Offset,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  Project,
  Repartition,
  Sort,
  UnaryNode,
  V2WriteCommand,
  WithCTE
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

  private def sorted(query: LogicalPlan, columns: Seq[Expression]): LogicalPlan =
    withKeys(query, keepsSort = false) match {
      case Some(Keyed(keyed, keys)) =>
        val onTop = Sort(by(columns, keys), global = false, keyed)
        if (keyed.output == query.output) onTop else Project(query.output, onTop)
      case None =>
        val found = query.outputOrdering
        // Spark may put a column in the place of a literal that has the same value.
        val keys = if (found.forall(_.resolved)) found else Nil
        Sort(by(columns, keys), global = false, query)
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

  /** A query whose columns include the keys by which it has sorted its rows. */
  private final case class Keyed(query: LogicalPlan, keys: Seq[PlanOrder])

  /**
   * Returns the query with the keys of its own sort as columns. Returns None if it has no sort, or
   * if what comes after the sort may change the order of rows or cannot pass on another column.
   *
   * The partition columns must not be added to the sort of the query instead: their expressions may
   * fail for rows that a filter after it removes.
   *
   * @param keepsSort
   *   whether what comes after the query needs its rows in this order; otherwise, a sort within
   *   tasks is left out, because the sort on top replaces it
   */
  private def withKeys(query: LogicalPlan, keepsSort: Boolean): Option[Keyed] = query match {
    case sort: Sort =>
      val (keys, added) = columnsFor(sort.order, sort.child.output)
      val below =
        if (added.isEmpty) sort.child else Project(sort.child.output ++ added, sort.child)
      val isKept = sort.global || keepsSort
      Some(Keyed(if (isKept) sort.copy(order = keys, child = below) else below, keys))
    case Project(list, child) =>
      withKeys(child, keepsSort || !list.forall(_.deterministic)).map { below =>
        val (keys, added) = columnsFor(below.keys, list)
        Keyed(Project(list ++ added, below.query), keys)
      }
    case WithCTE(plan, definitions) =>
      withKeys(plan, keepsSort).map(below => below.copy(WithCTE(below.query, definitions)))
    case unary: UnaryNode if passesRows(unary) =>
      withKeys(unary.child, keepsSort || usesOrder(unary)).map(below =>
        below.copy(unary.withNewChildren(Seq(below.query)))
      )
    case _ => None
  }

  /** Returns whether the operator passes on all columns, and the rows in their order. */
  private def passesRows(query: UnaryNode): Boolean = query match {
    case _: Filter | _: LocalLimit | _: GlobalLimit | _: Offset => true
    case _: CollectMetrics | _: BaseEvalPython                  => true
    case repartition: Repartition                               => !repartition.shuffle
    case _                                                      => false
  }

  private def usesOrder(query: UnaryNode): Boolean = query match {
    case Filter(condition, _) => !condition.deterministic
    case _                    => true
  }

  /**
   * Returns the order by columns, and those of its columns that the list lacks. So an expression is
   * computed once for each row, and not for both rows of each comparison.
   */
  private def columnsFor(
      order: Seq[PlanOrder],
      list: Seq[NamedExpression]
  ): (Seq[PlanOrder], Seq[NamedExpression]) = {
    val (keys, added) = order.map { key =>
      val listed = list.collectFirst {
        case same: Attribute if same.semanticEquals(key.child)     => same
        case alias: Alias if alias.child.semanticEquals(key.child) => alias.toAttribute
      }
      val column = listed.getOrElse(newColumn(key.child, list))
      (key.copy(child = column.toAttribute), if (listed.isEmpty) Some(column) else None)
    }.unzip
    (keys, added.flatten)
  }

  private def newColumn(key: Expression, list: Seq[NamedExpression]): NamedExpression = key match {
    case column: Attribute if !list.exists(_.exprId == column.exprId) => column
    case value                                                        => Alias(value, "sortKey")()
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
