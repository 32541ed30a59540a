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

  /** The bytes of an offset index with one page: a list of one struct of three numbers. */
  private final val LeastBytes = 10

  /**
   * Returns whether a chunk has an offset index that is long enough to have a page. (parquet-rs
   * 42.0.0 wrote one without pages for a column that is all null: apache/arrow-rs#4459.)
   */
  def hasPages(chunk: ColumnChunkMetaData): Boolean = {
    val index = chunk.getOffsetIndexReference
    index != null && index.getLength >= LeastBytes
  }

  /**
   * Returns the offset index of a chunk, or None if it is missing, has no page or cannot be parsed.
   *
   * @param rows
   *   number of rows in the row group
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the index is impossible
   */
  def offsetIndex(chunk: ColumnChunkMetaData, rows: Long, file: FileBytes): Option[OffsetIndex] = {
    val reference = Option(chunk.getOffsetIndexReference).filter(_ => hasPages(chunk))
    val found = parse(reference, file) { in =>
      val index = new FormatOffsetIndex
      index.read(in)
      Option(ParquetMetadataConverter.fromParquetOffsetIndex(index))
    }
    found.foreach(OffsetIndexCheck.check(chunk, rows, _))
    found
  }

  /** Returns the column index of a chunk, or None if it is missing or cannot be parsed. */
  private[read] def columnIndex(chunk: ColumnChunkMetaData, file: FileBytes): Option[ColumnIndex] =
    parse(Option(chunk.getColumnIndexReference), file) { in =>
      val index = new ColumnIndex
      index.read(in)
      Some(index)
    }

  private def parse[T](reference: Option[IndexReference], file: FileBytes)(
      read: TProtocol => Option[T]
  ): Option[T] =
    reference
      .flatMap(r => file.read(r.getOffset, r.getLength.toLong, MaxBytes))
      .flatMap { bytes =>
        try read(ThriftInput(new ByteArrayInputStream(bytes)))
        catch { case NonFatal(_) => None }
      }
}
