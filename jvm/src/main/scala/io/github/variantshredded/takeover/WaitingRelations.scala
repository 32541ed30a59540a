package io.github.variantshredded.takeover

import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.mapreduce.Job
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  HadoopFsRelation,
  LogicalRelation,
  OutputWriterFactory
}
import org.apache.spark.sql.types.StructType

/**
 * Hides relations of Delta Lake in subqueries while Spark optimizes the subquery.
 *
 * Spark optimizes a subquery before the query around it. Delta Lake chooses the files for both
 * together, so that both read one snapshot, and only then this source can read the relation. In
 * between, Spark would replace the Variants of the relation by structs of its own extractions, since
 * Delta Lake's format is one of Parquet. So [[TakeOver]] hides the format from Spark at the beginning
 * ([[WaitingRelations.hide]]), and this rule shows it again when Spark has optimized the subquery.
 */
object WaitingRelations extends Rule[LogicalPlan] {

  /** Returns the relation without its format. */
  def hide(plan: LogicalPlan): LogicalPlan = plan match {
    case relation: LogicalRelation =>
      relation.relation match {
        case files: HadoopFsRelation =>
          val hidden = files.copy(fileFormat = new Hidden(files))(files.sparkSession)
          relation.copy(relation = hidden)
        case _ => relation
      }
    case other => other
  }

  // Run-time filters have copies of relations in subqueries. Most plans have no subqueries, and then
  // their expressions need not be searched.
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.containsPattern(PLAN_EXPRESSION)) plan.transformWithSubqueries(shown)
    else plan.transform(shown)

  private val shown: PartialFunction[LogicalPlan, LogicalPlan] = { case relation: LogicalRelation =>
    relation.relation match {
      case HadoopFsRelation(_, _, _, _, hidden: Hidden, _) =>
        relation.copy(relation = hidden.relation)
      case _ => relation
    }
  }

  /** Replaces the format of a relation. It can neither read nor write. */
  private final class Hidden(val relation: HadoopFsRelation) extends FileFormat {

    override def inferSchema(
        session: SparkSession,
        options: Map[String, String],
        files: Seq[FileStatus]
    ): Option[StructType] = throw isHidden

    override def prepareWrite(
        session: SparkSession,
        job: Job,
        options: Map[String, String],
        dataSchema: StructType
    ): OutputWriterFactory = throw isHidden

    private def isHidden = new IllegalStateException(s"The format of $relation is hidden")
  }
}
