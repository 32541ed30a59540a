package io.github.variantshredded.read.inspect

import scala.collection.mutable

import io.github.variantshredded.read.footer.{FooterChunks, LeafIndex}
import io.github.variantshredded.read.pages.{
  BoundedCodecFactory,
  ChunkCheck,
  ChunkFetcher,
  PageIndexes,
  RowGroups,
  RowSelection
}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.spark.ParquetInternals
import io.github.variantshredded.variant.{MetadataDictionary, VariantConstants, VariantReader}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.{Converter, GroupConverter, PrimitiveConverter}

/**
 * Types of the values in a `value` column, among the first rows of a row group.
 *
 * Only the pages with these rows are fetched; where the file does not say which they are, the chunk
 * if it is small.
 *
 * @param rows
 *   how many rows
 */
private[inspect] final class ResidualTypes(
    rowGroups: RowGroups,
    fileLength: Long,
    codecs: BoundedCodecFactory,
    rows: Int
) {
  import ResidualTypes._

  // Of one row group at a time: both leaves of a place ask.
  private var rowGroup = -1
  private val known = mutable.Map.empty[Seq[String], Option[Seq[String]]]

  // parquet-java keeps the page indexes of the columns that it was asked for first.
  private val readers = mutable.Map.empty[Seq[String], RowGroups]

  /** Sorted; None if they are not known. */
  def of(index: Int, residual: Residual): Option[Seq[String]] = {
    if (index != rowGroup) known.clear()
    rowGroup = index
    known.getOrElseUpdate(residual.leaf, find(index, residual))
  }

  private def find(index: Int, residual: Residual): Option[Seq[String]] = {
    val leaf = residual.leaf
    val block = rowGroups(index)
    val leafIndex = new LeafIndex(rowGroups.schema, Set(leaf))
    leafIndex.chunk(block, leaf).flatMap { chunk =>
      new ChunkCheck(rowGroups.schema.message, leafIndex, fileLength, codecs)
        .check(block, Array(chunk))
      if (rows == 0) None
      else if (FooterChunks.isAllNull(chunk)) Some(Nil)
      else {
        val descriptor = leafIndex.descriptors.head
        fetch(index, descriptor, chunk).map(
          types(_, descriptor, chunk.getValueCount, residual.layout)
        )
      }
    }
  }

  private def fetch(
      index: Int,
      leaf: ColumnDescriptor,
      chunk: ColumnChunkMetaData
  ): Option[PageReadStore] = {
    val count = rowGroups(index).getRowCount
    val own = readers.getOrElseUpdate(
      leaf.getPath.toIndexedSeq, {
        val sibling = rowGroups.sibling()
        sibling.reader.setRequestedSchema(java.util.List.of(leaf))
        sibling
      }
    )
    lazy val pages = PageIndexes.offsetIndex(chunk, count, rowGroups.bytes(fileLength))
    if (count <= rows || pages.isEmpty) {
      Option.when(chunk.getTotalSize <= MostBytes) {
        own.fetching(chunk)(own.reader.readRowGroup(index))
      }
    } else {
      val first = new RowSelection.Builder
      first.add(0, rows.toLong)
      Some(own.fetching(chunk) {
        ParquetInternals.readFilteredRowGroup(
          own.reader,
          index,
          ChunkFetcher.ranges(first.result(), count)
        )
      })
    }
  }

  private def types(
      pages: PageReadStore,
      leaf: ColumnDescriptor,
      values: Long,
      layout: Layout
  ): Seq[String] = {
    val schema = rowGroups.schema.message
    val createdBy = rowGroups.reader.getFileMetaData.getCreatedBy
    val reader =
      new ColumnReadStoreImpl(pages, Ignored, schema, createdBy).getColumnReader(leaf)
    val kinds = mutable.Set.empty[Int]
    var value = 0L
    // One that begins a row more has been seen.
    var row = 0
    while (value < values && row <= rows) {
      if (reader.getCurrentRepetitionLevel == 0) row += 1
      if (row <= rows) {
        if (reader.getCurrentDefinitionLevel == leaf.getMaxDefinitionLevel) {
          val bytes = reader.getBinary.getBytesUnsafe
          val start = layout match {
            case Layout.Spec     => 0
            case Layout.Overview => MetadataDictionary.lengthAt(bytes, 0, bytes.length)
          }
          kinds += VariantReader.kind(bytes, start, bytes.length)
        }
        reader.consume()
        value += 1
      }
    }
    kinds.iterator.map(name).toSeq.distinct.sorted
  }
}

private object ResidualTypes {
  private final val MostBytes = 32L << 20

  /** As `schema_of_variant` names it, who has one type for all integers; decimals likewise. */
  private def name(kind: Int): String = kind match {
    case VariantConstants.Null                                 => "void"
    case VariantConstants.Int8 | VariantConstants.Int16        => "bigint"
    case VariantConstants.Int32 | VariantConstants.Int64       => "bigint"
    case VariantConstants.Decimal4 | VariantConstants.Decimal8 => "decimal"
    case VariantConstants.Decimal16                            => "decimal"
    case VariantConstants.TimestampNanos                       => "timestamp_ns"
    case VariantConstants.TimestampNtzNanos                    => "timestamp_ntz_ns"
    case other                                                 => VariantReader.kindName(other)
  }

  /** Values are asked for one by one. */
  private object Ignored extends GroupConverter {
    private val leaf = new PrimitiveConverter {}
    override def getConverter(field: Int): Converter = this
    override def asPrimitiveConverter(): PrimitiveConverter = leaf
    override def start(): Unit = ()
    override def end(): Unit = ()
  }
}
