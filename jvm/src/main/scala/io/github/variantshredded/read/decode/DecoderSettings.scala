package io.github.variantshredded.read.decode

import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.spark.sql.execution.datasources.parquet.{ParquetColumn, VectorizedColumnReader}
import org.apache.spark.sql.execution.vectorized.{
  OffHeapColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.types._

/**
 * What Spark's decoders need to know of a file, beside the column.
 *
 * @param datetimeRebaseMode
 *   `LEGACY`, `CORRECTED` or `EXCEPTION`, for ordinary columns
 */
private[read] final class DecoderSettings(
    val convertTz: java.time.ZoneId,
    val datetimeRebaseMode: String,
    val datetimeRebaseTz: String,
    val int96RebaseMode: String,
    val int96RebaseTz: String,
    val writerVersion: ParsedVersion,
    val capacity: Int,
    val offHeap: Boolean
) {

  def newVector(dataType: DataType): WritableColumnVector =
    if (offHeap) new OffHeapColumnVector(capacity, dataType)
    else new OnHeapColumnVector(capacity, dataType)

  def decoder(column: ParquetColumn, pages: PageReadStore): VectorizedColumnReader =
    decoder(column.descriptor.get, column.required, pages, datetimeRebaseMode)

  /**
   * For a leaf of a Variant: the spec knows the proleptic calendar only, so that dates are rebased
   * just in files that say themselves that they were written otherwise.
   */
  def variantDecoder(
      descriptor: ColumnDescriptor,
      required: Boolean,
      pages: PageReadStore
  ): VectorizedColumnReader =
    decoder(
      descriptor,
      required,
      pages,
      if (datetimeRebaseMode == "LEGACY") "LEGACY" else "CORRECTED"
    )

  private def decoder(
      descriptor: ColumnDescriptor,
      required: Boolean,
      pages: PageReadStore,
      rebaseMode: String
  ) =
    new VectorizedColumnReader(
      descriptor,
      required,
      pages,
      convertTz,
      rebaseMode,
      datetimeRebaseTz,
      int96RebaseMode,
      int96RebaseTz,
      writerVersion
    )
}
