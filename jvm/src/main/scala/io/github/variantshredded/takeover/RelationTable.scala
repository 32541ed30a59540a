package io.github.variantshredded.takeover

import java.util.{EnumSet, Set => JSet}

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.file.FileOverlay
import io.github.variantshredded.read.scan.{ScannedFiles, VariantScanBuilder}
import io.github.variantshredded.table.{PathTable, WithFileMetadata}
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.datasources.v2.FileTable
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Reads a relation of another source: the files that the other source has listed, with its columns.
 * The table can only be read.
 *
 * @param files
 *   the files, as the other source lists them
 * @param fileColumns
 *   the columns of the files, of which some may be partition columns too
 * @param allColumns
 *   all columns, in the order of the relation
 * @param overlay
 *   how the other table differs from its files
 */
final case class RelationTable(
    session: classic.SparkSession,
    files: PartitioningAwareFileIndex,
    fileColumns: StructType,
    allColumns: StructType,
    options: CaseInsensitiveStringMap,
    overlay: FileOverlay
) extends FileTable(session, options, Nil, Some(allColumns))
    with WithFileMetadata {

  override def name(): String = PathTable.nameOf(formatName, files.rootPaths)

  override def formatName: String = Format.Name

  override lazy val fileIndex: PartitioningAwareFileIndex = files

  override lazy val dataSchema: StructType = fileColumns

  override lazy val schema: StructType = allColumns

  override def inferSchema(files: Seq[FileStatus]): Option[StructType] = Some(fileColumns)

  override def capabilities: JSet[TableCapability] = EnumSet.of(BATCH_READ)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    VariantScanBuilder(
      session,
      ScannedFiles(files, overlay = overlay),
      fileColumns,
      options
    )

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw readOnly

  override def fallbackFileFormat: Class[_ <: FileFormat] = throw readOnly

  private def readOnly: VariantShreddedException = VariantShreddedErrors.unsupported(
    s"Writing to files of another source through ${name()}",
    "Write to the table itself."
  )
}
