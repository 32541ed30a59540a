package io.github.variantshredded.read.decode

import io.github.variantshredded.shredding.layout.VariantLeaf
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/**
 * Decodes a leaf column without repetition: one slot per row. It is decoded as fast as an ordinary
 * column.
 *
 * @param dataType
 *   the type of the vector
 * @param descriptor
 *   the column as Spark's decoder sees it (see [[LeafDecoding]])
 * @param hasLevels
 *   whether the definition levels are decoded too
 */
private[read] final class FlatLeaf(
    val leaf: VariantLeaf,
    dataType: DataType,
    descriptor: ColumnDescriptor,
    hasLevels: Boolean,
    settings: DecoderSettings
) extends LeafVector {

  override val values: WritableColumnVector = settings.newVector(dataType)
  private val levels: WritableColumnVector =
    if (hasLevels) settings.newVector(IntegerType) else null
  private var decoder: VectorizedColumnReader = _
  private var allNull = false

  /** Returns the vector of the definition levels; null if they are not decoded. */
  def definitionLevels: WritableColumnVector = levels

  override def isAllNull: Boolean = allNull

  /** Returns true if the chunk of the current row group was not fetched. */
  def isSkipped: Boolean = decoder == null

  /**
   * Prepares for the next row group.
   *
   * @param pages
   *   the pages of the row group; null if the leaf column was not fetched because it is all null
   */
  def startRowGroup(pages: PageReadStore): Unit =
    decoder =
      if (pages == null) null else settings.variantDecoder(descriptor, leaf.required, pages)

  def readBatch(rows: Int): Unit = {
    allNull = decoder == null
    if (!allNull) {
      values.reset()
      if (levels != null) levels.reset()
      io.github.variantshredded.spark.ParquetInternals
        .readBatch(decoder, rows, values, null, levels)
      allNull = values.numNulls == rows
    }
  }

  def close(): Unit = {
    values.close()
    if (levels != null) levels.close()
  }
}
