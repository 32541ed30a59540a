package io.github.variantshredded.read.inspect

import scala.collection.mutable

import io.github.variantshredded.read.footer.{LeafIndex, NullCounts}
import io.github.variantshredded.read.pages.{
  BoundedCodecFactory,
  BoundedPages,
  ChunkCheck,
  ChunkFetcher,
  FetchedPages,
  PageIndexes,
  PageRows,
  RowGroups,
  RowSelection
}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.spark.ParquetInternals
import io.github.variantshredded.variant.{MetadataDictionary, VariantConstants, VariantReader}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.{Converter, GroupConverter, PrimitiveConverter}

/**
 * Counts the residual values of each type in the first rows of a row group.
 *
 * Only the pages with these rows are fetched. If the file has no offset index, the whole chunk is
 * fetched, unless it is large.
 *
 * @param rows
 *   number of rows to read
 */
private[inspect] final class ResidualTypes(
    rowGroups: RowGroups,
    fileLength: Long,
    codecs: BoundedCodecFactory,
    rows: Int
) {
  import ResidualTypes._

  // The results for one row group are kept, because both leaf columns of a path need them.
  private var rowGroup = -1
  private val known = mutable.Map.empty[Seq[String], Option[Map[String, Long]]]

  // Each leaf column has a reader of its own, because parquet-java keeps the page indexes of the
  // columns that were requested first.
  private val readers = mutable.Map.empty[Seq[String], ParquetFileReader]

  /** Returns the number of values of each type; None if they are not known. */
  def of(index: Int, residual: ResidualLeaf): Option[Map[String, Long]] = {
    if (index != rowGroup) known.clear()
    rowGroup = index
    known.getOrElseUpdate(residual.leaf, find(index, residual))
  }

  private def find(index: Int, residual: ResidualLeaf): Option[Map[String, Long]] = {
    val leaf = residual.leaf
    val block = rowGroups(index)
    val leafIndex = new LeafIndex(rowGroups.schema, Set(leaf))
    leafIndex.chunk(block, leaf).flatMap { chunk =>
      new ChunkCheck(rowGroups.schema.message, leafIndex, fileLength, codecs)
        .check(block, Array(chunk))
      if (rows == 0) None
      else if (NullCounts.isAllNull(chunk)) Some(Map.empty)
      else {
        val descriptor = leafIndex.descriptors.head
        fetch(index, leafIndex, chunk).map(
          counts(_, descriptor, chunk.getValueCount, residual.layout)
        )
      }
    }
  }

  private def fetch(
      index: Int,
      leafIndex: LeafIndex,
      chunk: ColumnChunkMetaData
  ): Option[PageReadStore] = {
    val count = rowGroups(index).getRowCount
    val path = leafIndex.paths.head
    val reader = readers.getOrElseUpdate(path, rowGroups.newReader(leafIndex))
    lazy val pages = PageIndexes.offsetIndex(chunk, count, rowGroups.bytes(fileLength))
    if (count <= rows || pages.isEmpty) {
      Option.when(chunk.getTotalSize <= MaxBytes) {
        checked(rowGroups.fetching(chunk)(reader.readRowGroup(index)), Map.empty)
      }
    } else {
      val first = new RowSelection.Builder
      first.add(0, rows.toLong)
      val fetched = rowGroups.fetching(chunk) {
        ParquetInternals.readFilteredRowGroup(
          reader,
          index,
          ChunkFetcher.runs(first.result(), count)
        )
      }
      Some(checked(fetched, pages.map(path -> new PageRows(_, count)).toMap))
    }
  }

  /**
   * Checks each page before parquet-java decodes it, because it allocates memory as a run claims.
   */
  private def checked(pages: PageReadStore, rowsOf: Map[Seq[String], PageRows]): PageReadStore =
    new BoundedPages(
      FetchedPages(pages, rowsOf, rowGroups.prefixesCrossPages),
      shared = Set.empty,
      selection = None
    )

  private def counts(
      pages: PageReadStore,
      leaf: ColumnDescriptor,
      values: Long,
      layout: Layout
  ): Map[String, Long] = {
    val schema = rowGroups.schema.message
    val createdBy = rowGroups.metadata.getFileMetaData.getCreatedBy
    val reader =
      new ColumnReadStoreImpl(pages, Ignored, schema, createdBy).getColumnReader(leaf)
    val kinds = mutable.LongMap.empty[Long]
    var value = 0L
    // The loop stops at the first value of the row after the last row to read.
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
          val kind = VariantReader.kind(bytes, start, bytes.length).toLong
          kinds(kind) = kinds.getOrElse(kind, 0L) + 1
        }
        reader.consume()
        value += 1
      }
    }
    kinds.toSeq.groupMapReduce { case (kind, _) => name(kind.toInt) }(_._2)(_ + _)
  }
}

private object ResidualTypes {
  private final val MaxBytes = 32L << 20

  /**
   * Returns the type as `schema_of_variant` names it. It has one type for all integers and one for
   * all decimals.
   */
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

  /** Does nothing, because the values are read one by one. */
  private object Ignored extends GroupConverter {
    private val leaf = new PrimitiveConverter {}
    override def getConverter(field: Int): Converter = this
    override def asPrimitiveConverter(): PrimitiveConverter = leaf
    override def start(): Unit = ()
    override def end(): Unit = ()
  }
}
