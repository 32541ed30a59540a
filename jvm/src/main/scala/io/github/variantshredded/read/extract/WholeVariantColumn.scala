package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{FetchedRowGroup, OutputColumn}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.VariantColumnVector
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Returns whole Variants as a column of the batch. Their leaf columns must be decoded before
 * `readBatch`.
 */
private[read] final class WholeVariantColumn(columns: VariantGroupDecoder, context: FileContext)
    extends OutputColumn {
  private val variants =
    new VariantColumnVector(
      columns.group,
      columns.metadata,
      columns.nulls.get,
      columns.root,
      context
    )

  override def vector: ColumnVector = variants
  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = variants.startRowGroup()
  override def readBatch(rows: Int): Unit = variants.startBatch(rows)
  override def close(): Unit = ()
}
