package io.github.variantshredded.read.pages

import java.io.ByteArrayInputStream

import scala.util.control.NonFatal

import io.github.variantshredded.read.pages.check.OffsetIndexCheck
import org.apache.parquet.format.{ColumnIndex, OffsetIndex => FormatOffsetIndex}
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.hadoop.metadata.IndexReference
import shaded.parquet.org.apache.thrift.protocol.TProtocol

/**
 * Reads the page indexes of column chunks. An index that cannot be parsed is treated as missing.
 */
private[read] object PageIndexes {
  private final val MaxBytes = 32 << 20

  /**
   * Returns the offset index of a chunk, or None if it is missing or cannot be parsed.
   *
   * @param rows
   *   number of rows in the row group
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the index is impossible
   */
  def offsetIndex(chunk: ColumnChunkMetaData, rows: Long, file: FileBytes): Option[OffsetIndex] = {
    val found = parse(chunk.getOffsetIndexReference, file) { in =>
      val index = new FormatOffsetIndex
      index.read(in)
      Option(ParquetMetadataConverter.fromParquetOffsetIndex(index))
    }
    found.foreach(OffsetIndexCheck.check(chunk, rows, _))
    found
  }

  /** Returns the column index of a chunk, or None if it is missing or cannot be parsed. */
  private[read] def columnIndex(chunk: ColumnChunkMetaData, file: FileBytes): Option[ColumnIndex] =
    parse(chunk.getColumnIndexReference, file) { in =>
      val index = new ColumnIndex
      index.read(in)
      Some(index)
    }

  private def parse[T](reference: IndexReference, file: FileBytes)(
      read: TProtocol => Option[T]
  ): Option[T] =
    Option(reference)
      .flatMap(r => file.read(r.getOffset, r.getLength.toLong, MaxBytes))
      .flatMap { bytes =>
        try read(ThriftInput(new ByteArrayInputStream(bytes)))
        catch { case NonFatal(_) => None }
      }
}
