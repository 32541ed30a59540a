package io.github.variantshredded.optimizer

import scala.collection.mutable

import io.github.variantshredded.extraction.{
  Extractable,
  ExtractionErrors,
  ExtractionResult,
  PlanExtraction,
  ScanExtraction,
  ValueOrError
}
import io.github.variantshredded.read.scan.{VariantMicroBatchStream, VariantScan}
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.spark.{PlanCopies, StructDefaults}
import org.apache.spark.sql.catalyst.expressions.{AttributeMap, AttributeReference, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2ScanRelation,
  StreamingDataSourceV2ScanRelation
}
import org.apache.spark.sql.types._

/**
 * Represents a scan of this source in a plan. Its output consists of data columns, partition
 * columns, the column `_metadata`, extractions and errors; each is there only if it is read.
 */
private[variantshredded] final case class ScanNode(
    relation: LeafNode,
    output: Seq[AttributeReference],
    scan: VariantScan
) {
  private val dataColumns = scan.readDataSchema.size
  private val tableColumns = dataColumns + scan.readPartitionSchema.size
  private val columns = tableColumns + scan.columns.metadata.size

  /** Returns the columns of the extractions. */
  def extracted: Seq[AttributeReference] =
    output.slice(columns, columns + scan.pushed.extractions.size)

  /** Returns the columns of the scan that are or contain a Variant. */
  def variants: Seq[AttributeReference] =
    output
      .take(dataColumns)
      .filter(column => VariantTypes.hasVariant(column.dataType))

  /** Returns the partition columns, with their names in the table. */
  def partitions: AttributeMap[String] = AttributeMap(
    output
      .slice(dataColumns, tableColumns)
      .zip(scan.readPartitionSchema.fieldNames)
  )

  /** Returns the name of a column in the table, for explanations. */
  def columnOf(attribute: ExprId): Option[String] = {
    val index = output.indexWhere(_.exprId == attribute)
    if (index < 0) None
    else if (index < dataColumns) Some(scan.readDataSchema(index).name)
    else scan.pushed.extractions.lift(index - columns).map(_.name)
  }

  /** Returns whether [[add]] would meet a request for the extraction. */
  def canAdd(extraction: PlanExtraction): Boolean = resolve(extraction).exists { found =>
    scan.pushed.extractions.size < ScanNode.MaxExtractions || scan.pushed.extractions.contains(
      found
    )
  }

  /** Returns the relation with columns for `requests`, and the expression that replaces each. */
  def add(requests: Seq[Request]): (LeafNode, Map[Request, Grant]) = {
    val wanted = requests.collect { case r: Request.Extract => r -> resolve(r.extraction) }
    val known = mutable.LinkedHashMap.from(scan.pushed.extractions.zip(extracted))
    wanted.flatMap(_._2).foreach { extraction =>
      if (!known.contains(extraction) && known.size < ScanNode.MaxExtractions) {
        known(extraction) = ScanNode.column(extraction)
      }
    }
    if (known.isEmpty) (relation, Map.empty)
    else {
      val errors = output
        .lift(columns + scan.pushed.extractions.size)
        .getOrElse(AttributeReference(VariantScan.ErrorColumn, ExtractionErrors.ColumnType)())
      val indexes = known.keys.zipWithIndex.toMap
      val grants = wanted.flatMap { case (request, extraction) =>
        extraction.filter(known.contains).map { found =>
          val value = found.what match {
            case cast: ExtractionResult.Value if cast.target != VariantType && !cast.isTryCast =>
              ValueOrError(known(found), errors, indexes(found))
            case _ => known(found)
          }
          (request: Request) -> Grant(value)
        }
      }
      val grown =
        if (known.size == scan.pushed.extractions.size) relation
        else {
          ScanNode.rebuild(
            relation,
            scan.copy(pushed = scan.pushed.copy(extractions = known.keys.toSeq)),
            output.take(columns) ++ known.values :+ errors
          )
        }
      (grown, grants.toMap)
    }
  }

  /** Returns the relation with only the columns in `read`, and the new index of each extraction. */
  def prune(read: collection.Set[ExprId]): (LeafNode, Map[Int, Int]) = {
    val kept = output.map(column => read(column.exprId))
    def select[A](values: Seq[A], from: Int): Seq[A] =
      values.zip(kept.drop(from)).collect { case (value, true) => value }
    val extractions = select(scan.pushed.extractions.zip(extracted), columns)
    val errors = if (extractions.isEmpty) Nil else Seq(output.last)
    val indexes = select(scan.pushed.extractions.indices, columns).zipWithIndex.toMap
    val pruned =
      select(output.take(columns), 0) ++ extractions.map(_._2) ++ errors
    if (pruned.size == output.size) (relation, indexes)
    else {
      val narrowed = scan.copy(
        columns = scan.columns.copy(
          data = StructType(select(scan.readDataSchema.fields.toSeq, 0)),
          partition = StructType(select(scan.readPartitionSchema.fields.toSeq, dataColumns)),
          metadata = select(scan.columns.metadata.toSeq, tableColumns).headOption
        ),
        pushed = scan.pushed.copy(extractions = extractions.map(_._1))
      )
      (ScanNode.rebuild(relation, narrowed, pruned), indexes)
    }
  }

  private def resolve(asked: PlanExtraction): Option[ScanExtraction] = {
    val index = output.indexWhere(_.exprId == asked.variant.attribute)
    if (index < 0) None
    else if (index < dataColumns) {
      val column = scan.readDataSchema(index)
      // A scan that reads the whole struct has its default, and an extraction from it would not.
      if (StructDefaults.has(column)) None
      else
        asked.variant
          .names(output(index).dataType)
          .filter(ScanNode.typeAt(column.dataType, _).contains(VariantType))
          .map(names => ScanExtraction(column.name +: names, asked.path, asked.what))
    } else {
      // An extraction from an extracted Variant becomes an extraction from its column.
      scan.pushed.extractions.lift(index - columns).collect {
        case base if base.what == Extractable.SubVariant && asked.variant.fields.isEmpty =>
          ScanExtraction(base.column, base.path ++ asked.path, asked.what.ofExtracted)
      }
    }
  }
}

private[variantshredded] object ScanNode {

  /** Most extractions of one scan, because each is a column of each batch. */
  final val MaxExtractions = 500

  def unapply(plan: LogicalPlan): Option[ScanNode] = plan match {
    case relation: DataSourceV2ScanRelation
        if relation.keyGroupedPartitioning.isEmpty && relation.ordering.isEmpty =>
      of(relation, relation.output, relation.scan)
    case relation: StreamingDataSourceV2ScanRelation =>
      relation.stream match {
        case stream: VariantMicroBatchStream if stream.isPlanned && !stream.isShared =>
          of(relation, relation.output, relation.scan)
        case _ => None
      }
    case _ => None
  }

  private def of(relation: LeafNode, output: Seq[AttributeReference], scan: Scan) = scan match {
    case ours: VariantScan
        if output.size == ours.readSchema().size && ours.pushed.summary.isEmpty =>
      Some(ScanNode(relation, output, ours))
    case _ => None
  }

  /** Returns whether `plan` or one of its subqueries has a scan of this source. */
  def isIn(plan: LogicalPlan): Boolean = isIn(plan, _ => true)

  /** Returns whether `plan` or one of its subqueries has a scan of files of another source. */
  def isTakenOverIn(plan: LogicalPlan): Boolean = isIn(plan, _.scan.isTakenOver)

  private def isIn(plan: LogicalPlan, test: ScanNode => Boolean): Boolean = plan.exists {
    case ScanNode(node) => test(node)
    case other          => other.subqueries.exists(isIn(_, test))
  }

  /** Copies the relation with another scan and output. */
  def rebuild(
      relation: LeafNode,
      scan: VariantScan,
      output: Seq[AttributeReference]
  ): LeafNode = relation match {
    case batch: StreamingDataSourceV2ScanRelation =>
      val stream = batch.stream match {
        case ours: VariantMicroBatchStream => ours.of(scan)
        case other                         => other
      }
      PlanCopies.withFields(batch, "scan" -> scan, "output" -> output, "stream" -> stream)
    case _ => PlanCopies.withFields(relation, "scan" -> scan, "output" -> output)
  }

  private def column(extraction: ScanExtraction): AttributeReference = {
    val nullable = extraction.what match {
      case _: ExtractionResult.Value => true
      case _: ExtractionResult.Flag  => false
    }
    AttributeReference(extraction.name, extraction.what.dataType, nullable)()
  }

  private def typeAt(dataType: DataType, fields: Seq[String]): Option[DataType] =
    fields.foldLeft(Option(dataType)) {
      case (Some(struct: StructType), name) => struct.find(_.name == name).map(_.dataType)
      case _                                => None
    }
}
