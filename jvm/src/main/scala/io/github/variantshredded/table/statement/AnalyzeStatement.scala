package io.github.variantshredded.table.statement

import io.github.variantshredded.table.CatalogedTable
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/**
 * Runs `ANALYZE TABLE ... COMPUTE STATISTICS`: stores bytes and rows in the catalog, where
 * `SHOW TABLE EXTENDED` and other programs find them. The planner does not need them: it takes both
 * from the files, for each scan.
 *
 * @param noScan
 *   whether to leave out the number of rows
 */
private[variantshredded] final case class AnalyzeStatement(
    table: CatalogedTable,
    identifier: TableIdentifier,
    noScan: Boolean
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    val catalog = table.session.sessionState.catalog
    val bytes = BigInt(table.files.map(_.getLen).sum)
    val before = catalog.getTableMetadata(identifier).stats
    val rows =
      if (noScan) before.filter(_.sizeInBytes == bytes).flatMap(_.rowCount)
      else Some(BigInt(rowsOf(session)))
    catalog.alterTableStats(identifier, Some(CatalogStatistics(bytes, rows)))
    Nil
  }

  private def rowsOf(session: SparkSession): Long =
    session.table(AnalyzeStatement.inSql(identifier)).count()
}

private[statement] object AnalyzeStatement {

  /**
   * Returns the name of a table in SQL. Without the catalog, it could be that of a table of the
   * current catalog.
   */
  def inSql(table: TableIdentifier): String =
    table.copy(catalog = Some("spark_catalog")).quotedString
}
