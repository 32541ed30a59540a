package io.github.variantshredded.read.pages

import java.util.{BitSet, PrimitiveIterator}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.footer.{FooterChunks, LeafIndex}
import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.spark.ParquetInternals
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges

/**
 * Fetches column chunks of row groups, or the pages of them that hold some rows.
 *
 * @param rowGroups
 *   for the use of this only: their reader keeps which columns are asked for
 * @param skippedOf
 *   the leaves that need not be fetched where some are all null; None if all are fetched
 * @param file
 *   its bytes, for what is checked before parquet-java reads it
 */
private[read] final class ChunkFetcher(
    rowGroups: RowGroups,
    skippedOf: Option[Set[Seq[String]] => Set[Seq[String]]],
    leafIndex: LeafIndex,
    chunkCheck: ChunkCheck,
    file: FileBytes,
    metrics: ReadMetrics
) {
  private val reader = rowGroups.reader

  private var index = -1
  private var block: BlockMetaData = _
  private var chunks: Array[ColumnChunkMetaData] = _
  private var fetched: FetchedLeaves = _

  /**
   * Goes on to a row group.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the footer says of it what cannot be
   */
  def startRowGroup(next: Int): Unit = if (next != index) {
    block = rowGroups(next)
    chunks = leafIndex.chunks(block)
    chunkCheck.check(block, chunks)
    val allNull = allNullLeaves
    // Mostly it is as in the row group before.
    if (fetched == null || fetched.allNull != allNull) {
      fetched = new FetchedLeaves(leafIndex, allNull, skippedOf.getOrElse(_ => Set.empty))
      reader.setRequestedSchema(fetched.descriptors)
    }
    index = next
  }

  /** Leaves that need not be fetched. */
  def skipped: Set[Seq[String]] = fetched.skipped

  /** Whether there is nothing to fetch. */
  def isEmpty: Boolean = fetched.leaves.isEmpty

  /** Compressed bytes of the chunks. */
  def size: Long = sum(_.getTotalSize)

  /** How many leaves are fetched. */
  def leafCount: Int = fetched.leaves.length

  /** Bytes of the chunks when they are decompressed, as the footer has it. */
  def uncompressedSize: Long = sum(_.getTotalUncompressedSize)

  /** Whether pages can be fetched one by one: whether the file has their places. */
  def hasPages: Boolean = fetched.leaves.forall(chunks(_).getOffsetIndexReference != null)

  /** Rows of the row group. */
  def rowCount: Long = block.getRowCount

  /** Whether the selection is all of the row group. */
  def isWhole(selection: RowSelection): Boolean = selection.size == rowCount

  /** Fetches the leaves of the row group: all of it, or the pages with the rows of `selection`. */
  def fetch(selection: RowSelection): FetchedPages = {
    val last = leafIndex.last(block, chunks, fetched.leaves)
    var places = Map.empty[Seq[String], OffsetIndex]
    val pages = rowGroups.fetching(last) {
      if (isWhole(selection)) reader.readRowGroup(index)
      else {
        places = checkedPlaces(selection)
        ParquetInternals.readFilteredRowGroup(
          reader,
          index,
          ChunkFetcher.ranges(selection, rowCount)
        )
      }
    }
    metrics.leafChunksRead += fetched.leaves.length
    metrics.leafChunksSkipped += fetched.skipped.size
    if (isWhole(selection)) metrics.leafBytesRead += size
    val rowsOf = places.view.mapValues(new PageRows(_, rowCount)).toMap
    FetchedPages(pages, rowsOf, rowGroups.prefixesCrossPages)
  }

  private def sum(bytesOf: ColumnChunkMetaData => Long): Long = {
    var bytes = 0L
    fetched.leaves.foreach(leaf => bytes += bytesOf(chunks(leaf)))
    bytes
  }

  private def allNullLeaves: BitSet = {
    val allNull = new BitSet(chunks.length)
    if (skippedOf.nonEmpty) {
      var i = 0
      while (i < chunks.length) {
        if (FooterChunks.isAllNull(chunks(i))) allNull.set(i)
        i += 1
      }
    }
    allNull
  }

  /** Where the pages of the leaves are; nothing of a file that is encrypted. */
  private def checkedPlaces(selection: RowSelection): Map[Seq[String], OffsetIndex] =
    if (rowGroups.isEncrypted) Map.empty
    else fetched.leaves.map(leaf => leafIndex.paths(leaf) -> checkedPlaces(leaf, selection)).toMap

  private def checkedPlaces(leaf: Int, selection: RowSelection): OffsetIndex =
    PageIndexes.offsetIndex(chunks(leaf), rowCount, file) match {
      case Some(pages) =>
        countPages(pages, selection)
        pages
      case None =>
        throw VariantShreddedErrors.corruptFile(
          "Its offset index cannot be read.",
          ErrorLocation(column = Some(leafIndex.paths(leaf).mkString(".")))
        )
    }

  private def countPages(pages: OffsetIndex, selection: RowSelection): Unit = {
    var page = 0
    while (page < pages.getPageCount) {
      val until = pages.getLastRowIndex(page, rowCount) + 1
      if (selection.overlaps(pages.getFirstRowIndex(page), until)) {
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

  /** The rows in the form that parquet-java takes: as if each run of them were a page. */
  def ranges(selection: RowSelection, rowCount: Long): RowRanges = {
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
