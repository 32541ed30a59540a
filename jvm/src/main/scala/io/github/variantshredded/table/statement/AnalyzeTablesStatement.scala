package io.github.variantshredded.table.statement

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.execution.command.{AnalyzeTablesCommand, LeafRunnableCommand}

/**
 * Runs `ANALYZE TABLES ... COMPUTE STATISTICS`. Spark takes the bytes of a partitioned table from the
 * partitions in the catalog, which has none of the tables of this source, so these are analyzed one
 * by one.
 *
 * @param isOurs
 *   whether a provider is this source
 */
private[variantshredded] final case class AnalyzeTablesStatement(
    classicSession: classic.SparkSession,
    statement: AnalyzeTablesCommand,
    isOurs: String => Boolean
) extends LeafRunnableCommand
    with Logging {

  override def run(session: SparkSession): Seq[Row] = {
    val done = statement.run(session)
    val catalog = classicSession.sessionState.catalog
    val database = statement.databaseName.getOrElse(catalog.getCurrentDatabase)
    // A temporary view has no database.
    catalog.listTables(database).filter(_.database.isDefined).foreach { table =>
      // As in Spark, a table that cannot be analyzed does not end the statement.
      try {
        if (catalog.getTableMetadata(table).provider.exists(isOurs)) analyze(session, table)
      } catch { case NonFatal(e) => logWarning(s"Failed to analyze the table $table", e) }
    }
    done
  }

  private def analyze(session: SparkSession, table: TableIdentifier): Unit = {
    val noScan = if (statement.noScan) " NOSCAN" else ""
    val name = AnalyzeStatement.inSql(table)
    val _ = session.sql(s"ANALYZE TABLE $name COMPUTE STATISTICS$noScan")
  }
}
