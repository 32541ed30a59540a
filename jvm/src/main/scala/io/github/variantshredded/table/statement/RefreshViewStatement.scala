package io.github.variantshredded.table.statement

import io.github.variantshredded.table.PathTable
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.execution.command.{LeafRunnableCommand, RefreshTableCommand}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Runs `REFRESH TABLE` of a temporary view. Spark lists the files again that relations of its first
 * interface read, and a view over a path of this source has listed its files when it was created.
 */
private[variantshredded] final case class RefreshViewStatement(
    classicSession: classic.SparkSession,
    statement: RefreshTableCommand
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    tables.foreach(_.fileIndex.refresh())
    statement.run(session)
  }

  /** Returns the tables of paths in the plan of the view, each once: equal ones list for themselves. */
  private def tables: Seq[PathTable] = {
    val view = classicSession.table(statement.tableIdent.quotedString).queryExecution.analyzed
    val read = view.collectWithSubqueries { case relation: DataSourceV2Relation => relation.table }
    read.collect { case table: PathTable => table }.foldLeft(Seq.empty[PathTable]) {
      (distinct, table) => if (distinct.exists(_ eq table)) distinct else distinct :+ table
    }
  }
}
