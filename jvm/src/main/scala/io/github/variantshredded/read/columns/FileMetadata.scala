package io.github.variantshredded.read.columns

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Defines the struct column `_metadata`, whose fields say where a row comes from: the file, the
 * split of the file, and the number of the row. Names, types and values are those of Spark's
 * Parquet source.
 */
private[variantshredded] object FileMetadata {

  private val ofParquet = new ParquetFileFormat().createFileMetadataCol()

  /** The field with the number of a row in its file, counted from 0. */
  val RowIndex: String = ParquetFileFormat.ROW_INDEX

  /**
   * The fields whose values are known for a whole file, with the marks by which Spark's listing of
   * files recognizes them.
   */
  val ofFile: Seq[StructField] = FileFormat.BASE_METADATA_FIELDS.filterNot { field =>
    field.name == FileFormat.FILE_BLOCK_START || field.name == FileFormat.FILE_BLOCK_LENGTH
  }

  /** The column as tables offer it to queries. */
  val column: MetadataColumn = new MetadataColumn {
    override def name(): String = FileFormat.METADATA_NAME
    override def dataType(): DataType = ofParquet.dataType
    override def isNullable: Boolean = ofParquet.nullable
    override def metadataInJSON(): String = ofParquet.metadata.json
  }

  /**
   * Returns the values of the requested fields for all rows of a split; null for fields whose value
   * is different in each row.
   */
  private[read] def values(fields: StructType, split: PartitionedFile): InternalRow =
    new GenericInternalRow(fields.fieldNames.map { name =>
      FileFormat.BASE_METADATA_EXTRACTORS.get(name).map(_(split)).orNull match {
        case text: String => UTF8String.fromString(text)
        case other        => other
      }
    })
}
