package io.github.variantshredded.read.decode

import io.github.variantshredded.shredding.layout.VariantLeaf
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/**
 * A leaf without repetition: one slot a row, decoded as fast as a plain column.
 *
 * @param withLevels
 *   whether the definition levels are wanted too
 */
private[read] final class FlatLeaf(
    val leaf: VariantLeaf,
    dataType: DataType,
    descriptor: ColumnDescriptor,
    settings: DecoderSettings
) extends LeafVector {

  override val values: WritableColumnVector = settings.newVector(dataType)
  private var levels: WritableColumnVector = _
  private var decoder: VectorizedColumnReader = _
  private var allNull = false

  /** Asks for the definition levels of this leaf, which then is read even if it is all null. */
  def definitionLevels: WritableColumnVector = {
    if (levels == null) levels = settings.newVector(IntegerType)
    levels
  }

  /** Whether the chunk must be fetched although all of its values are null. */
  def isNeededForLevels: Boolean = levels != null

  override def isAllNull: Boolean = allNull

  /** Whether the chunk of the current row group was not fetched. */
  def isSkipped: Boolean = decoder == null

  /**
   * @param pages
   *   the row group; null where the leaf is all null in it and was not fetched
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
