package io.github.variantshredded.write

import io.github.variantshredded.directory.PartitionDirectories
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.MergedOptions
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.catalyst.expressions.FileSourceMetadataAttribute
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  SupportsDynamicOverwrite,
  SupportsOverwriteV2,
  Write,
  WriteBuilder
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Builds a write to the directory `path`.
 *
 * @param info
 *   schema of the rows, and the options of this write
 * @param path
 *   directory of the table
 * @param tableOptions
 *   options of the table; those of the write take precedence
 * @param partitionColumns
 *   names of the partition columns, in the order of the directories
 * @param tableSchema
 *   schema of the table if it is known; it determines the types of the partition columns
 * @param replacesTable
 *   whether the write replaces a table (`REPLACE TABLE ... AS SELECT`): a truncation then replaces
 *   all files, whatever `partitionOverwriteMode` is
 * @param toleratesOthers
 *   whether the directory may have files beside the partitions, as that of a table by name: files
 *   that are not Parquet, and all files if there are no partition columns
 */
class VariantWriteBuilder(
    info: LogicalWriteInfo,
    path: String,
    tableOptions: CaseInsensitiveStringMap,
    partitionColumns: Seq[String],
    tableSchema: Option[StructType],
    replacesTable: Boolean = false,
    toleratesOthers: Boolean = false
) extends WriteBuilder
    with SupportsOverwriteV2
    with SupportsDynamicOverwrite {

  private val options = MergedOptions(tableOptions, info.options)

  private def partitionOverwrite = WriteOptions.PartitionOverwrite.get(options)

  private var mode: WriteMode =
    if (InternalWriteOptions.mustBeNew(options)) WriteMode.Create else WriteMode.Append

  /**
   * Replaces all files, or only the partitions that get rows if the option `partitionOverwriteMode`
   * is `dynamic`. For a save to a path, the session's setting applies too, as for Spark's file
   * sources. For a table, Spark evaluates the setting, and calls [[overwriteDynamicPartitions]] if
   * the statement allows it.
   */
  override def truncate(): WriteBuilder = {
    val ofSession =
      if (tableSchema.isEmpty) SQLConf.get.partitionOverwriteMode else PartitionOverwriteMode.STATIC
    val asked = partitionOverwrite.getOrElse(ofSession)
    if (!replacesTable && asked == PartitionOverwriteMode.DYNAMIC) overwriteDynamicPartitions()
    else overwrite(Array.empty[Predicate])
  }

  /** Throws an error for other predicates: Spark's would not say what is supported. */
  override def canOverwrite(predicates: Array[Predicate]): Boolean =
    partitionFilter(predicates).isDefined || (throw PartitionFilter.unsupported(predicates))

  /**
   * Replaces the partitions for which all `predicates` hold: equality and null tests of partition
   * columns.
   */
  override def overwrite(predicates: Array[Predicate]): WriteBuilder = {
    val filter =
      partitionFilter(predicates).getOrElse(throw PartitionFilter.unsupported(predicates))
    mode = if (isDynamic(predicates)) replacePartitions(filter) else WriteMode.Replace(filter)
    this
  }

  /**
   * Returns whether the predicates may be the clause `PARTITION (day = 'x', hour)` of an `INSERT
   * OVERWRITE`, and the option says that it replaces only the partitions of `hour` that get rows.
   * Spark's analyzer knows only the session's setting, and writes the clause as `day <=> 'x'`.
   */
  private def isDynamic(predicates: Array[Predicate]): Boolean =
    partitionOverwrite.contains(PartitionOverwriteMode.DYNAMIC) &&
      predicates.nonEmpty && predicates.length < partitionColumns.size &&
      predicates.map(_.name).forall(Set("<=>", "IS_NULL"))

  /**
   * Replaces the partitions that get rows.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the option says something else than the session: Spark does not tell
   *   which partitions a statement names
   */
  override def overwriteDynamicPartitions(): WriteBuilder = {
    if (
      tableSchema.isDefined && partitionColumns.nonEmpty &&
      partitionOverwrite.contains(PartitionOverwriteMode.STATIC)
    ) throw VariantWriteBuilder.staticOption
    mode =
      if (partitionColumns.isEmpty) WriteMode.Replace(PartitionFilter.All)
      else replacePartitions(PartitionFilter.All)
    this
  }

  override def build(): Write =
    VariantWrite(written, path, options, partitionColumns, mode, toleratesOthers)

  // As in Spark's file sources: a column `_metadata` that is written is an ordinary column.
  private def written: StructType =
    StructType(info.schema.map(FileSourceMetadataAttribute.cleanupFileSourceMetadataInformation(_)))

  private def partitionFilter(predicates: Array[Predicate]): Option[PartitionFilter] =
    PartitionFilter(predicates.toSeq, directories.columns, directories.timeZone)

  private def replacePartitions(filter: PartitionFilter): WriteMode =
    WriteMode.ReplacePartitions(tableSchema.map(_ => directories), filter)

  private lazy val directories: PartitionDirectories = {
    val schema = tableSchema.getOrElse(info.schema)
    val resolver = SQLConf.get.resolver
    PartitionDirectories(
      partitionColumns.flatMap(name => schema.find(field => resolver(field.name, name))),
      WriteOptions.timeZone(options, SQLConf.get)
    )
  }
}

private object VariantWriteBuilder {

  private def staticOption: VariantShreddedException = VariantShreddedErrors.unsupported(
    s"Overwriting the partitions that get rows while the option ${WriteOptions.PartitionOverwrite.name} " +
      "is 'static'",
    s"Set ${SQLConf.PARTITION_OVERWRITE_MODE.key} to static for the session, or leave the option out."
  )
}
