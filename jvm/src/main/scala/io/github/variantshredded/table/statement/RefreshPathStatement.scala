package io.github.variantshredded.table.statement

import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.RefreshResource

/** Runs `REFRESH path`, which Spark does for its own sources and for reads by path. */
private[variantshredded] final case class RefreshPathStatement(
    classicSession: classic.SparkSession,
    statement: RefreshResource
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    val done = statement.run(session)
    val conf = classicSession.sessionState.newHadoopConf()
    CachedReads.refreshTables(classicSession, new Path(statement.path), conf)
    done
  }
}
