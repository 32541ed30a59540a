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
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, DataSourceUtils}

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

  // `Dataset.inputFiles` lists the partitions of the query only, as for Spark's own relation.
  override def inputFiles: Array[String] = index.filterPartitions(ofPartitions).inputFiles

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
