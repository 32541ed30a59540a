package io.github.variantshredded.table

import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Recognises a table that `saveAsTable` of a format of Spark's first interface, such as `parquet`,
 * replaces.
 */
private[variantshredded] object OverwrittenTable {

  /**
   * Refuses to drop the table if the query that replaces it reads its files. Spark drops the table
   * first, and refuses this only if the table has such a format too.
   */
  def refuseIfRead(session: classic.SparkSession, saved: TableInternals.SavedTable): Unit = {
    val tables = session.sessionState.catalog
    if (tables.tableExists(saved.table)) {
      val metadata = tables.getTableMetadata(saved.table)
      val reads = metadata.storage.locationUri.exists { location =>
        val directory = new TableDirectory(session.sessionState.newHadoopConf(), location)
        readPaths(saved.query).exists(directory.overlaps)
      }
      if (reads) throw TableInternals.overwrittenWhileRead(metadata.identifier)
    }
  }

  /** Returns the paths of the files of this source that the query reads. */
  private def readPaths(query: LogicalPlan): Seq[String] = {
    val here = query.collect { case relation: DataSourceV2Relation =>
      relation.table match {
        case table: CatalogedTable => table.location.toSeq
        case table: PathTable      => table.fileIndex.rootPaths.map(_.toString)
        case _                     => Nil
      }
    }.flatten
    val inner = query.collect { case operator =>
      operator.expressions.flatMap(_.collect { case subquery: SubqueryExpression => subquery.plan })
    }.flatten
    here ++ inner.flatMap(readPaths)
  }
}
