package io.github.variantshredded.takeover

import scala.util.control.NonFatal

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.spark.{PlanCopies, StructDefaults}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  DynamicPruning,
  Expression,
  ExprId,
  GetStructField,
  InputFileBlockLength,
  InputFileBlockStart,
  InputFileName,
  MetadataAttribute,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteFromTable,
  LogicalPlan,
  MergeIntoTable,
  Subquery,
  UpdateTable
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{
  HadoopFsRelation,
  LogicalRelation,
  VariantMetadata
}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, V2ScanRelationPushDown}
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable
import org.apache.spark.sql.types.{DataType, StructField, StructType, VariantType}

/**
 * Makes this source read the Variants of tables and files of other sources.
 *
 * This optimizer rule replaces a relation by a relation of this source with the same output if the
 * query reads one of its Variant columns. It runs after Spark has pruned columns and before Spark
 * builds scans, so Spark plans the new relation as any relation of this source. All other relations
 * stay as they are. If the rule fails, the query runs as it would without the rule.
 */
final case class TakeOver(session: classic.SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(hasVariant) && !plan.containsPattern(PLAN_EXPRESSION)) plan
    else {
      val setting = ReadOptions.TakeOver
      val sources = ReadOptions.setting(setting, conf)
      try {
        val taken = plan match {
          case _ if sources.isEmpty => plan
          case subquery: Subquery   => takenOver(subquery, sources, isSubquery = true)
          // The table is the target of the statement.
          case _: DeleteFromTable | _: UpdateTable | _: MergeIntoTable =>
            inSubqueries(plan, sources)
          case _ => takenOver(inSubqueries(DeltaReads.choose(plan), sources), sources)
        }
        if (sources.nonEmpty) DeltaExtension.warnIfMissing(session, taken)
        taken
      } catch {
        case e @ (NonFatal(_) | _: LinkageError) =>
          logWarning(s"The query is planned without ${setting.name}, because this failed", e)
          plan
      }
    }

  private def hasVariant(plan: LogicalPlan): Boolean = plan match {
    case _: LogicalRelation | _: DataSourceV2Relation =>
      plan.output.exists(column => VariantTypes.hasVariant(column.dataType)) &&
      !plan.output.exists(column => hasExtractions(column.dataType))
    case _ => false
  }

  /** Returns whether Spark has replaced a Variant by a struct of its own extractions. */
  private def hasExtractions(dataType: DataType): Boolean = dataType match {
    case struct: StructType =>
      VariantMetadata.isVariantStruct(struct) || struct.exists(f => hasExtractions(f.dataType))
    case _ => false
  }

  /**
   * Replaces the relations of Delta Lake in subqueries. Those of other sources have been replaced
   * when Spark optimized the subqueries, and Spark has built their scans then.
   */
  private def inSubqueries(plan: LogicalPlan, sources: Set[String]): LogicalPlan =
    if (!sources(DeltaRelations.Source)) plan
    else {
      plan.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
        case pruning: DynamicPruning      => pruning
        case subquery: SubqueryExpression =>
          val inner = inSubqueries(subquery.plan, sources)
          val taken = takenOver(inner, Set(DeltaRelations.Source))
          val built = if (taken.fastEquals(inner)) inner else V2ScanRelationPushDown(taken)
          if (built.fastEquals(subquery.plan)) subquery else subquery.withNewPlan(built)
      }
    }

  private def takenOver(
      plan: LogicalPlan,
      sources: Set[String],
      isSubquery: Boolean = false
  ): LogicalPlan = if (!plan.exists(hasVariant)) plan
  else {
    val read = ReadColumns(plan)
    lazy val filters = RelationFilters(plan)
    lazy val hasFileFunctions = plan.exists(tellsOfFiles)
    plan.transform {
      case relation if hasVariant(relation) && readsVariant(relation, read) =>
        relationOf(relation, sources, read, filters, hasFileFunctions)
          .map(_.flatMap(unlessDefaults(relation, read))) match {
          case Some(Right(table)) => replaced(relation, table)
          case Some(Left(DeltaRelations.NotChosen)) if isSubquery && DeltaRelations.chooses(conf) =>
            WaitingRelations.hide(relation)
          case Some(Left(declined)) => marked(relation, declined, filters)
          case None                 => relation
        }
    }
  }

  /** Returns whether a function tells of the file, or its part, that a row comes from. */
  private def tellsOfFiles(plan: LogicalPlan): Boolean = plan.expressions.exists(_.exists {
    case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case _                                                                   => false
  })

  private def readsVariant(relation: LogicalPlan, read: Set[ExprId]): Boolean =
    relation.output.exists { column =>
      VariantTypes.hasVariant(column.dataType) && read(column.exprId)
    }

  /**
   * Returns the table, or why the relation is left to its source. Spark uses the default value of a
   * struct only if a query reads the struct in a certain way, and other columns too.
   */
  private def unlessDefaults(relation: LogicalPlan, read: Set[ExprId])(
      table: RelationTable
  ): Either[String, RelationTable] = {
    val declared = table.allColumns.groupBy(_.name)
    relation.output
      .filter(column => read(column.exprId))
      .find { column =>
        val asOutput = StructField(column.name, column.dataType, column.nullable, column.metadata)
        (asOutput +: declared.getOrElse(column.name, Nil)).exists(StructDefaults.has)
      }
      .map(column => s"its column ${column.name} has a default value")
      .toLeft(table)
  }

  /** Returns the table of this source, or why it cannot be made; None for unknown relations. */
  private def relationOf(
      relation: LogicalPlan,
      sources: Set[String],
      read: Set[ExprId],
      filters: => RelationFilters,
      hasFileFunctions: => Boolean
  ): Option[Either[String, RelationTable]] = {
    def parquet = sources(ParquetRelations.Source)
    def delta = sources(DeltaRelations.Source)
    def iceberg = sources(IcebergRelations.Source)
    relation match {
      case logical: LogicalRelation =>
        logical.relation match {
          case declined: DeclinedRelation if declined.reason != DeltaRelations.NotChosen => None
          case files: HadoopFsRelation if parquet && ParquetRelations.has(files)         =>
            Some(ParquetRelations.of(session, logical, files, filters.of(logical)))
          case files: HadoopFsRelation if delta && DeltaRelations.has(files) =>
            Some(DeltaRelations.of(session, logical, files))
          case _ => None
        }
      case v2: DataSourceV2Relation =>
        v2.table match {
          case table: ParquetTable if parquet && ParquetRelations.has(table) =>
            Some(ParquetRelations.of(session, v2, table))
          case table if iceberg && ByName.isOf(table, IcebergTable) =>
            Some(IcebergRelations.of(session, v2, read, filters.of(v2), hasFileFunctions))
          case _ => None
        }
      case _ => None
    }
  }

  private def replaced(relation: LogicalPlan, table: RelationTable): LogicalPlan = {
    // Errors in making the scan must appear here, where the relation can still stay as it is.
    table.newScanBuilder(table.options).build()
    val made = DataSourceV2Relation.create(table, None, None, table.options)
    val output = relation.output.collect { case column: AttributeReference => column }
    val taken = PlanCopies.withFields(made, "output" -> output)
    taken.copyTagsFrom(relation)
    taken
  }

  /** Returns the relation, which EXPLAIN shows with the reason if that can be had. */
  private def marked(
      relation: LogicalPlan,
      reason: String,
      filters: => RelationFilters
  ): LogicalPlan = {
    def message = s"${relation.simpleString(MaxFields)} is not read by this source: $reason"
    relation match {
      // Iceberg knows its table by the class, so EXPLAIN cannot show the reason.
      case v2: DataSourceV2Relation
          if ByName.isOf(v2.table, IcebergTable) && reason != RelationDescription.SwitchedOff &&
            WarnedReasons.isNew(v2.name, reason) =>
        logWarning(message)
      case _ => logInfo(message)
    }
    relation match {
      case logical: LogicalRelation =>
        DeclinedRelation.mark(logical, reason, filters.any(logical).exists(hasQuotedName))
      case v2: DataSourceV2Relation => DeclinedParquetTable.mark(v2, reason)
      case other                    => other
    }
  }

  /**
   * Returns whether the predicate has a column that Spark can name in a filter on files only by
   * several names or with backticks.
   */
  private def hasQuotedName(predicate: Expression): Boolean = predicate.exists {
    case field: GetStructField =>
      field.dataType != VariantType &&
      !field.references.exists(column => MetadataAttribute.isValid(column.metadata))
    case column: Attribute => quoteIfNeeded(column.name) != column.name
    case _                 => false
  }

  private final val MaxFields = 10

  // Most sessions do not have the classes of Iceberg that `IcebergRelations` uses. (The compiler
  // copies the constant `IcebergRelations.Source`.)
  private final val IcebergTable = "org.apache.iceberg.spark.source.SparkTable"
}
