package io.github.variantshredded.read.scan

import scala.util.control.NonFatal

import io.github.variantshredded.options.Format
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.shredding.VariantTypes
import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.read.SupportsPushDownLimit
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Builds the scan of a table from the columns, predicates and limit that Spark pushes down.
 * Predicates on data columns also stay above the scan, because the scan only leaves out rows that
 * certainly do not meet them.
 *
 * @param dataSchema
 *   the columns that are read from the files, without partition columns
 */
final class VariantScanBuilder private (
    session: classic.SparkSession,
    files: ScannedFiles,
    dataSchema: StructType,
    options: CaseInsensitiveStringMap
) extends FileScanBuilder(session, files.index, dataSchema)
    with PartitionFilterPushDown
    with SupportsPushDownLimit
    with Logging {
  private var limit = Option.empty[Int]
  private var metadataColumn = Option.empty[StructField]

  // A table may have thousands of columns, of which a query may read all.
  private lazy val columnsByName = dataSchema.fields.map(field => field.name -> field).toMap

  // Spark prunes columns inside structs, arrays and maps. It treats a Variant as atomic.
  override protected val supportsNestedSchemaPruning: Boolean = true

  override def build(): VariantScan = VariantScan(
    session,
    files,
    ScannedColumns(dataSchema, readDataSchema(), readPartitionSchema(), metadataColumn),
    PushedDown(filtersOfScan, limit),
    options,
    new PlanningFooters(files.overlay.columnNames)
  )

  /** Takes the requested columns, of which one may be `_metadata`. */
  override def pruneColumns(requiredSchema: StructType): Unit = {
    val (metadata, columns) = requiredSchema.partition(field => isMetadata(field.name))
    metadataColumn = metadata.headOption
    super.pruneColumns(StructType(columns.map(withMetadata)))
  }

  /**
   * Returns a column with its metadata, such as a default value. Spark drops these from a struct of
   * which a query names fields, even if it names all of them. A struct with a Variant gets no default
   * here, so that its Variants can be extracted.
   */
  private def withMetadata(column: StructField): StructField =
    columnsByName
      .get(column.name)
      .filter(_.dataType == column.dataType)
      .filterNot(whole => VariantTypes.hasVariant(whole.dataType))
      .getOrElse(column)

  /**
   * Returns whether a column is `_metadata`: the only column that is neither in the files nor a
   * partition column. Spark gives it another name if the files have a column `_metadata`.
   */
  private def isMetadata(column: String): Boolean = {
    val isSame = session.sessionState.conf.resolver
    val partitions = files.index.partitionSchema
    !columnsByName.contains(column) &&
    !(dataSchema ++ partitions).exists(field => isSame(field.name, column))
  }

  /**
   * Returns the requested partition columns with the metadata of the table's columns, such as the
   * length of a VARCHAR. Spark compares it when the rows are inserted into a table.
   */
  override def readPartitionSchema(): StructType = {
    val isSame = session.sessionState.conf.resolver
    StructType(super.readPartitionSchema().map { field =>
      requiredSchema
        .find(required => isSame(required.name, field.name))
        .fold(field)(required => field.copy(metadata = required.metadata))
    })
  }

  /**
   * Takes a limit, which Spark pushes down only if no predicate is evaluated above the scan. Spark
   * applies the limit again to the rows of all tasks.
   */
  override def pushLimit(rows: Int): Boolean = {
    limit = Some(rows)
    true
  }

  private def filtersOfScan: PushedFilters = {
    val conf = session.sessionState.conf
    val pushesDown = ReadOptions.setting(ReadOptions.PushDownPredicates, conf)
    try {
      val filters = FileFilters(dataFilters, isMetadata)
      PushedFilters(
        partitionFilters,
        filters.pushed ++ filters.others,
        if (pushesDown) Conjuncts.of(filters.others, dataSchema) else Conjuncts.None,
        filters.texts
      )
    } catch {
      // A query on tables of other sources must not fail because of this source.
      case e @ (NonFatal(_) | _: LinkageError) if options.containsKey(Format.TakenOverFrom) =>
        logWarning("The query is planned without push-down of predicates, because this failed", e)
        PushedFilters(partitionFilters, Nil, Conjuncts.None, Nil)
    }
  }
}

object VariantScanBuilder {

  /**
   * Creates a builder.
   *
   * @param fileSchema
   *   the columns of the files or of the whole table. Partition columns are left out of it: their
   *   values come from the directory names, even if the files have columns of the same names.
   */
  def apply(
      session: classic.SparkSession,
      files: ScannedFiles,
      fileSchema: StructType,
      options: CaseInsensitiveStringMap
  ): VariantScanBuilder = {
    val isSame = session.sessionState.conf.resolver
    def isPartition(field: StructField) =
      files.index.partitionSchema.exists(partition => isSame(partition.name, field.name))
    val dataSchema = StructType(fileSchema.filterNot(isPartition))
    new VariantScanBuilder(session, files, dataSchema, options)
  }
}
