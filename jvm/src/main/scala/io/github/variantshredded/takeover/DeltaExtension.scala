package io.github.variantshredded.takeover

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
   * Warns, once for each table, if a query reads tables that may have deletion vectors and the
   * session does not have the extension. The extension chooses the files of a query, and so does
   * [[DeltaReads]] after this check.
   */
  def warnIfMissing(session: classic.SparkSession, query: LogicalPlan): Unit = {
    lazy val isMissing = !plansScans(session)
    query
      .collectWithSubqueries { case relation: LogicalRelation => relation }
      .foreach { relation =>
        relation.relation match {
          case files: HadoopFsRelation
              if DeltaRelations.has(files) && !DeltaFiles.areChosen(files.location) &&
                isMissing && mayHaveVectors(files) =>
            val table = relation.catalogTable
              .map(_.identifier.unquotedString)
              .getOrElse(files.location.rootPaths.mkString(", "))
            if (WarnedReasons.isNew(table, Reason)) logWarning(Reason + table)
          case _ => ()
        }
      }
  }

  private def mayHaveVectors(files: HadoopFsRelation): Boolean = {
    val features = call(call(files.fileFormat, "protocol"), "readerAndWriterFeatureNames")
    features.asInstanceOf[Set[String]](DeletionVectors)
  }
}
