package io.github.variantshredded.takeover

import io.github.variantshredded.table.{CatalogedTable, PathSink, PathTable, StagedFiles}
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Lets Delta Lake choose the snapshots and files that a write to a table of this source reads.
 *
 * Delta Lake's own rule leaves out all writes through Data Source V2, because it plans those to its
 * own tables a second time. Then two relations of one table may read different versions, and a
 * table with deletion vectors cannot be read at all. So this rule applies Delta Lake's rule to the
 * query of such a write. It is added to each session that uses this source; [[TakeOver]] chooses
 * the files earlier, so that this source can read the relations.
 */
object DeltaReads extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val chosen = choose(plan)
    // TakeOver has left this write as it was, so Spark reads the relations.
    if (!chosen.eq(plan)) DeltaExtension.warnIfMissing(classic.SparkSession.active, chosen)
    chosen
  }

  /** Returns the plan; if it is a write to this source, with the files that its query reads. */
  def choose(plan: LogicalPlan): LogicalPlan = plan match {
    case write: V2WriteCommand if isOurs(write) && hasOpenReads(write.query) =>
      rule.fold(plan)(choosing => write.withNewQuery(choosing(write.query)))
    case _ => plan
  }

  private def isOurs(write: V2WriteCommand): Boolean = write.table match {
    case relation: DataSourceV2Relation =>
      relation.table match {
        case _: PathTable | _: PathSink | _: CatalogedTable | _: StagedFiles => true
        case _                                                               => false
      }
    case _ => false
  }

  /** Returns whether the query has relations whose files Delta Lake would choose when they run. */
  private def hasOpenReads(query: LogicalPlan): Boolean =
    query
      .collectWithSubqueries { case relation: LogicalRelation => relation.relation }
      .exists {
        case files: HadoopFsRelation => ByName.isOf(files.location, OpenIndex)
        case _                       => false
      }

  /** Returns Delta Lake's rule, which is made anew for each query; None in versions without it. */
  private def rule: Option[Rule[LogicalPlan]] =
    try {
      val constructor = ByName.loaded(RuleName).getConstructor(classOf[SparkSession])
      constructor.newInstance(classic.SparkSession.active) match {
        case choosing: Rule[LogicalPlan @unchecked] => Some(choosing)
        case _                                      => None
      }
    } catch {
      case e @ (_: ReflectiveOperationException | _: LinkageError) =>
        logWarning("Delta Lake does not choose the files that a write reads", e)
        None
    }

  private final val OpenIndex = "org.apache.spark.sql.delta.files.TahoeLogFileIndex"

  private final val RuleName = "org.apache.spark.sql.delta.stats.PrepareDeltaScan"
}
