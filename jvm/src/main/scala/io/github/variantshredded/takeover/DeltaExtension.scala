package io.github.variantshredded.takeover

import scala.util.control.NonFatal

import io.github.variantshredded.takeover.ByName.{call, isOf}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/**
 * Says whether a session has the extension of Delta Lake. Without it, Spark reads the rows that
 * deletion vectors mark as deleted, too.
 */
private[takeover] object DeltaExtension extends Logging {

  private final val PlansVectors = "org.apache.spark.sql.delta.PreprocessTableWithDVsStrategy"

  private final val DeletionVectors = "deletionVectors"

  private final val Reason =
    "The session does not have io.delta.sql.DeltaSparkSessionExtension in spark.sql.extensions, " +
      "so Spark returns deleted rows too if it reads a table of Delta Lake with deletion vectors: "

  /** Returns whether Delta Lake's extension plans the scans of a session. */
  def plansScans(session: classic.SparkSession): Boolean =
    session.sessionState.planner.strategies.exists(isOf(_, PlansVectors))

  /**
   * Warns, once for each table, if Spark is to read tables that may have deletion vectors and the
   * session does not have the extension. If it cannot be found out, the query runs without a warning.
   *
   * @param plan
   *   a plan in which relations that this source reads are relations of this source
   */
  def warnIfMissing(session: classic.SparkSession, plan: LogicalPlan): Unit =
    try warn(session, plan)
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        logInfo("Could not find out whether tables of Delta Lake have deletion vectors", e)
    }

  private def warn(session: classic.SparkSession, plan: LogicalPlan): Unit = {
    lazy val isMissing = !plansScans(session)
    plan
      .collectWithSubqueries { case relation: LogicalRelation => relation }
      .foreach { relation =>
        relation.relation match {
          case files: HadoopFsRelation
              if DeltaRelations.has(files) && isMissing && mayHaveVectors(files) =>
            val table = relation.catalogTable
              .map(_.identifier.unquotedString)
              .getOrElse(files.location.rootPaths.mkString(", "))
            if (WarnedReasons.isNew(table, Reason)) logWarning(Reason + table)
          case _ => ()
        }
      }
  }

  private def mayHaveVectors(files: HadoopFsRelation): Boolean = {
    def features = call(call(files.fileFormat, "protocol"), "readerAndWriterFeatureNames")
    DeltaFiles
      .knownDeletionVectors(files.location)
      .getOrElse(features.asInstanceOf[Set[String]](DeletionVectors))
  }
}
