package io.github.variantshredded.read.pages

import java.util.{BitSet, PrimitiveIterator}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.footer.{LeafIndex, NullCounts}
import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.spark.ParquetInternals
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges

/**
 * Fetches the column chunks of row groups, or only the pages that hold selected rows.
 *
 * @param skippedOf
 *   for a set of leaf columns that are all null, returns those that need not be fetched; None if
 *   every leaf column is fetched
 * @param leafIndex
 *   the leaf columns to fetch
 * @param file
 *   the bytes of the file, for offset indexes, which are checked before parquet-java uses them
 */
private[read] final class ChunkFetcher(
    rowGroups: RowGroups,
    skippedOf: Option[Set[Seq[String]] => Set[Seq[String]]],
    leafIndex: LeafIndex,
    chunkCheck: ChunkCheck,
    file: FileBytes,
    metrics: ReadMetrics
) {
  import ChunkFetcher._

  private val reader = rowGroups.newReader(leafIndex)

  private var index = -1
  private var block: BlockMetaData = _
  private var chunks: Array[ColumnChunkMetaData] = _
  private var fetched: FetchedLeaves = _

  /**
   * Moves to a row group and checks its entries in the footer.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if an entry of the footer is impossible
   */
  def startRowGroup(next: Int): Unit = if (next != index) {
    block = rowGroups(next)
    chunks = leafIndex.chunks(block)
    chunkCheck.check(block, chunks)
    val leaves = leavesOf(chunks)
    if (leaves ne fetched) {
      fetched = leaves
      reader.setRequestedSchema(fetched.descriptors)
    }
    index = next
  }

  /**
   * Returns the bytes that [[fetch]] would read of a row group, which need not be the current one.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if an entry of the footer is impossible
   */
  def ranges(of: Int, selection: RowSelection): Seq[ByteRange] = {
    val block = rowGroups(of)
    val chunks = leafIndex.chunks(block)
    chunkCheck.check(block, chunks)
    val wanted = leavesOf(chunks).leaves.toSeq.map(chunks)
    val isWhole = selection.size == block.getRowCount
    if (isWhole || !wanted.forall(PageIndexes.hasPages)) {
      wanted.map(c => ByteRange(c.getStartingPos, c.getStartingPos + c.getTotalSize))
    } else {
      wanted.flatMap { chunk =>
        PageIndexes.offsetIndex(chunk, block.getRowCount, file).toSeq.flatMap { pages =>
          ByteRange(chunk.getStartingPos, pages.getOffset(0)) +:
            (0 until pages.getPageCount).collect {
              case page if isSelected(pages, page, block.getRowCount, selection) =>
                val start = pages.getOffset(page)
                ByteRange(start, start + pages.getCompressedPageSize(page))
            }
        }
      }
    }
  }

  /** Returns the leaf columns that are not fetched from the current row group. */
  def skipped: Set[Seq[String]] = fetched.skipped

  /** Returns true if no leaf column has to be fetched. */
  def isEmpty: Boolean = fetched.leaves.isEmpty

  /** Returns the compressed bytes of the chunks to fetch. */
  def size: Long = sum(_.getTotalSize)

  /** Returns the number of leaf columns to fetch. */
  def leafCount: Int = fetched.leaves.length

  /** Returns the uncompressed bytes of the chunks to fetch, according to the footer. */
  def uncompressedSize: Long = sum(_.getTotalUncompressedSize)

  /**
   * Returns the bytes that the values to decode take in vectors. A value that occurs often takes
   * less in a dictionary than in a vector. Elements of arrays take memory even if they are null,
   * because their vectors have a slot for each of them. (The vectors of other leaf columns have a
   * slot for each row, which [[io.github.variantshredded.read.decode.DecoderSettings.ofLeaves]]
   * counts.)
   */
  def decodedSize: Long = {
    var bytes = 0L
    fetched.leaves.foreach { leaf =>
      val isRepeated = leafIndex.descriptors(leaf).getMaxRepetitionLevel > 0
      bytes = saturated(bytes + decodedSize(chunks(leaf), isRepeated))
    }
    bytes
  }

  private def decodedSize(chunk: ColumnChunkMetaData, isRepeated: Boolean): Long = {
    val inBatch = Option(chunk.getSizeStatistics).map(_.getUnencodedByteArrayDataBytes)
    val values = inBatch.filter(_.isPresent).fold(0L)(_.get)
    val bytes = math.max(chunk.getTotalUncompressedSize, values)
    if (!isRepeated) bytes
    else math.max(bytes, math.min(chunk.getValueCount, Long.MaxValue / SlotBytes) * SlotBytes)
  }

  private def saturated(sum: Long): Long = if (sum < 0) Long.MaxValue else sum

  /** Returns true if single pages can be fetched, because each offset index has pages. */
  def hasPages: Boolean = fetched.leaves.forall(leaf => PageIndexes.hasPages(chunks(leaf)))

  /** Returns the number of rows in the row group. */
  def rowCount: Long = block.getRowCount

  /** Returns true if `selection` contains all rows of the row group. */
  def isWhole(selection: RowSelection): Boolean = selection.size == rowCount

  /**
   * Fetches the leaf columns of the row group: all pages, or only the pages that hold rows of
   * `selection`.
   */
  def fetch(selection: RowSelection): FetchedPages = {
    val last = leafIndex.last(block, chunks, fetched.leaves)
    var offsets = Map.empty[Seq[String], OffsetIndex]
    val pages = rowGroups.fetching(last) {
      if (isWhole(selection)) reader.readRowGroup(index)
      else {
        offsets = checkedOffsets(selection)
        ParquetInternals.readFilteredRowGroup(
          reader,
          index,
          runs(selection, rowCount)
        )
      }
    }
    metrics.leafChunksRead += fetched.leaves.length
    metrics.leafChunksSkipped += fetched.skipped.size
    if (isWhole(selection)) metrics.leafBytesRead += size
    val rowsOf = offsets.view.mapValues(new PageRows(_, rowCount)).toMap
    FetchedPages(pages, rowsOf, rowGroups.prefixesCrossPages)
  }

  private def sum(bytesOf: ColumnChunkMetaData => Long): Long = {
    var bytes = 0L
    fetched.leaves.foreach(leaf => bytes += bytesOf(chunks(leaf)))
    bytes
  }

  // Consecutive row groups usually have the same leaf columns that are all null.
  private def leavesOf(chunks: Array[ColumnChunkMetaData]): FetchedLeaves = {
    val allNull = allNullLeaves(chunks)
    if (fetched != null && fetched.allNull == allNull) fetched
    else new FetchedLeaves(leafIndex, allNull, skippedOf.getOrElse(_ => Set.empty))
  }

  private def allNullLeaves(chunks: Array[ColumnChunkMetaData]): BitSet = {
    val allNull = new BitSet(chunks.length)
    if (skippedOf.nonEmpty) {
      var i = 0
      while (i < chunks.length) {
        if (NullCounts.isAllNull(chunks(i))) allNull.set(i)
        i += 1
      }
    }
    allNull
  }

  /** Returns the checked offset indexes of the leaf columns; none if the file is encrypted. */
  private def checkedOffsets(selection: RowSelection): Map[Seq[String], OffsetIndex] =
    if (rowGroups.isEncrypted) Map.empty
    else fetched.leaves.map(leaf => leafIndex.paths(leaf) -> checkedOffsets(leaf, selection)).toMap

  private def checkedOffsets(leaf: Int, selection: RowSelection): OffsetIndex =
    PageIndexes.offsetIndex(chunks(leaf), rowCount, file) match {
      case Some(pages) =>
        countPages(pages, selection)
        pages
      case None =>
        throw VariantShreddedErrors.corruptFile(
          "The offset index of the column chunk cannot be read.",
          ErrorLocation(column = Some(leafIndex.paths(leaf).mkString(".")))
        )
    }

  private def countPages(pages: OffsetIndex, selection: RowSelection): Unit = {
    var page = 0
    while (page < pages.getPageCount) {
      if (isSelected(pages, page, rowCount, selection)) {
        metrics.pagesRead += 1
        metrics.leafBytesRead += pages.getCompressedPageSize(page)
      } else {
        metrics.pagesSkipped += 1
      }
      page += 1
    }
  }
}

private[read] object ChunkFetcher {

  /**
   * The number of bytes that an element of an array takes in the vectors of a leaf column: value,
   * definition level, repetition level and dictionary id, each with a null flag.
   */
  private final val SlotBytes = 24L

  private def isSelected(
      pages: OffsetIndex,
      page: Int,
      rowCount: Long,
      selection: RowSelection
  ): Boolean =
    selection.overlaps(pages.getFirstRowIndex(page), pages.getLastRowIndex(page, rowCount) + 1)

  /**
   * Converts selected rows to parquet-java's row ranges. parquet-java makes these only from pages,
   * so each run of rows is presented as a page.
   */
  def runs(selection: RowSelection, rowCount: Long): RowRanges = {
    val runs = new OffsetIndex {
      override def getPageCount: Int = selection.runs
      override def getOffset(page: Int): Long = 0L
      override def getCompressedPageSize(page: Int): Int = 0
      override def getFirstRowIndex(page: Int): Long = selection.start(page)
      override def getLastRowIndex(page: Int, rowCount: Long): Long = selection.end(page) - 1
    }
    val all: PrimitiveIterator.OfInt =
      java.util.stream.IntStream.range(0, selection.runs).iterator
    RowRanges.create(rowCount, all, runs)
  }
}
