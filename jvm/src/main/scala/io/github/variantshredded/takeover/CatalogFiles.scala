package io.github.variantshredded.takeover

import io.github.variantshredded.read.scan.RelationFiles
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  PythonUDF,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{
  CatalogFileIndex,
  DataSourceUtils,
  InMemoryFileIndex,
  PartitionDirectory
}

/**
 * Lists the files of a table whose partitions are in Spark's catalog.
 *
 * @param relation
 *   the relation of the table
 * @param filters
 *   predicates that all rows meet that the query needs of the relation
 */
private[takeover] final class CatalogFiles(
    session: classic.SparkSession,
    index: CatalogFileIndex,
    relation: LogicalPlan,
    filters: Seq[Expression]
) extends RelationFiles(session, index) {

  // What the catalog has listed last. The rule makes an instance for each plan, so later plans see
  // new partitions.
  private var listed = Option.empty[(Seq[Expression], InMemoryFileIndex)]

  /** Returns the files of the partitions that pass `tests`. A scan asks for the same ones repeatedly. */
  private def partitionsOf(tests: Seq[Expression]): InMemoryFileIndex = synchronized {
    listed.collect { case (`tests`, found) => found }.getOrElse {
      val found = index.filterPartitions(tests)
      listed = Some(tests -> found)
      found
    }
  }

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] =
    partitionsOf(partitionFilters).listFiles(Nil, dataFilters)

  override def refresh(): Unit = synchronized {
    listed = None
    super.refresh()
  }

  // `Dataset.inputFiles` lists the partitions of the query only, as for Spark's own relation.
  override def inputFiles: Array[String] = partitionsOf(ofPartitions).inputFiles

  private def ofPartitions: Seq[Expression] = {
    val evaluable = filters.filter { filter =>
      filter.deterministic && !SubqueryExpression.hasSubquery(filter) &&
      !filter.exists(_.isInstanceOf[PythonUDF])
    }
    DataSourceUtils.getPartitionFiltersAndDataFilters(partitionSchema, evaluable.map(named))._1
  }

  /** Returns a predicate in which columns have their names in the table, not in the query. */
  private def named(filter: Expression): Expression = filter.transform {
    case column: AttributeReference =>
      relation.output.find(_.exprId == column.exprId).fold(column)(c => column.withName(c.name))
  }
}
