package io.github.variantshredded.optimizer

import java.util.{Set => JSet}

import io.github.variantshredded.read.scan.{
  ScannedFiles,
  VariantMicroBatchStream,
  VariantScan,
  VariantScanBuilder
}
import io.github.variantshredded.spark.PlanCopies
import org.apache.spark.sql.catalyst.expressions.MetadataAttribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation,
  StreamingDataSourceV2ScanRelation,
  V2ScanRelationPushDown
}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Plans the scans of micro-batches, as an optimizer rule. Spark pushes columns and predicates down
 * to batch scans only. So this rule presents each micro-batch to Spark's own rule as a batch table
 * of the files of the micro-batch.
 *
 * If a query uses one stream several times, as in a union with itself, its scans read all columns:
 * Spark takes them for the same scan, whatever they read.
 */
private[variantshredded] object PlanMicroBatches extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val found = plan.collect { case batch @ Unplanned(_) => batch.stream }
    if (found.isEmpty) plan
    else {
      val several = found.groupBy(identity).filter(_._2.size > 1).keySet
      val tables = plan.transform { case batch @ Unplanned(stream) =>
        val table = new MicroBatch(batch, stream)
        if (several(batch.stream)) table.whole else table.relation
      }
      V2ScanRelationPushDown(tables).transform { case relation: DataSourceV2ScanRelation =>
        (relation.relation.table, relation.scan) match {
          case (table: MicroBatch, scan: VariantScan) =>
            ScanNode.rebuild(table.batch, scan, relation.output)
          case _ => relation
        }
      }
    }
  }

  private object Unplanned {
    def unapply(batch: StreamingDataSourceV2ScanRelation): Option[VariantMicroBatchStream] =
      batch.stream match {
        case stream: VariantMicroBatchStream
            if !stream.isPlanned && batch.startOffset.isDefined && batch.endOffset.isDefined =>
          Some(stream)
        case _ => None
      }
  }

  /** Represents the files of a micro-batch as a table. */
  private final class MicroBatch(
      val batch: StreamingDataSourceV2ScanRelation,
      stream: VariantMicroBatchStream
  ) extends Table
      with SupportsRead {

    private val scan = batch.scan match {
      case ours: VariantScan => ours
      case other => throw new IllegalStateException(s"not a scan of this source: $other")
    }

    private val asked =
      StructType(batch.output.map(c => StructField(c.name, c.dataType, c.nullable, c.metadata)))

    private val tableSchema =
      StructType(asked.filterNot(column => MetadataAttribute.isValid(column.metadata)))

    private val index =
      stream.index(batch.startOffset.get, batch.endOffset.get, tableSchema)

    override def name(): String = batch.name

    override def schema(): StructType = tableSchema

    override def capabilities(): JSet[TableCapability] =
      java.util.EnumSet.of(TableCapability.BATCH_READ)

    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = newBuilder

    private def newBuilder =
      VariantScanBuilder(scan.sparkSession, ScannedFiles(index), tableSchema, scan.options)

    def relation: LogicalPlan = {
      val created = DataSourceV2Relation.create(this, None, None)
      PlanCopies.withFields(created, "output" -> batch.output)
    }

    /** Returns the micro-batch with a scan of all columns. */
    def whole: LogicalPlan = {
      val builder = newBuilder
      builder.pruneColumns(asked)
      val all = builder.build()
      val read = all.readSchema().map(field => batch.output.find(_.name == field.name).get)
      Project(batch.output, ScanNode.rebuild(batch.copy(stream = stream.shared), all, read))
    }
  }
}
