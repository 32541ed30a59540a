package io.github.variantshredded.read.columns

import io.github.variantshredded.read.decode.{
  ConstantColumn,
  DecoderSettings,
  FetchedRowGroup,
  OutputColumn,
  RowIndexColumn
}
import io.github.variantshredded.read.vector.ViewVector
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector

/** Makes the struct column `_metadata` with the requested fields. */
private[read] final class FileMetadataColumn private (
    dataType: StructType,
    fields: Array[OutputColumn]
) extends OutputColumn {

  override val vector: ColumnVector = new ViewVector(dataType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = false
    override def getChild(ordinal: Int): ColumnVector = fields(ordinal).vector
  }

  override def startRowGroup(rowGroup: FetchedRowGroup): Unit =
    fields.foreach(_.startRowGroup(rowGroup))

  override def readBatch(rows: Int): Unit = fields.foreach(_.readBatch(rows))

  override def close(): Unit = fields.foreach(_.close())
}

private[read] object FileMetadataColumn {

  /**
   * Creates the column for a split of a file.
   *
   * @param dataType
   *   the requested fields of the column
   * @param firstRow
   *   the number of the first row of each row group in the file
   */
  def apply(
      dataType: StructType,
      split: PartitionedFile,
      firstRow: Int => Long,
      settings: DecoderSettings
  ): FileMetadataColumn = {
    val values = FileMetadata.values(dataType, split)
    val fields = dataType.fields.zipWithIndex.map {
      case (field, _) if field.name == FileMetadata.RowIndex =>
        new RowIndexColumn(firstRow, settings): OutputColumn
      case (field, i) => ConstantColumn.of(field.dataType, values, i)
    }
    new FileMetadataColumn(dataType, fields)
  }
}
