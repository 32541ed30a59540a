package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Says where the page indexes of a file are. They lie between its row groups and its footer. Bloom
 * filters that lie behind them belong to them if they are small.
 *
 * @param start
 *   where they begin
 * @param end
 *   where they end; 0 if there are none
 * @param kept
 *   the bytes from `start` to `end`, if they came with the footer
 */
private[read] final class IndexBytes private (
    val start: Long,
    val end: Long,
    val kept: Option[FileTail]
)

private[read] object IndexBytes {

  /** The greatest number of bytes of page indexes that are kept with a footer in the cache. */
  private final val MaxKept = 512L << 10

  /**
   * The greatest number of bytes of bloom filters that belong to the page indexes. Few queries need
   * bloom filters, and kept bytes take the memory of other footers.
   */
  private final val MaxFilters = 64L << 10

  /**
   * Finds the page indexes of a file. They are kept if they came with its footer and the file has an
   * ETag: without one, they might be those of an earlier file.
   */
  def of(
      file: FileStatus,
      rowGroups: collection.Seq[BlockMetaData],
      tail: FileTail
  ): IndexBytes = {
    val start = rowGroups.lastOption.fold(0L)(endOf)
    val end = withFilters(rowGroups, rowGroups.lastOption.fold(0L)(endOfIndexes))
    FileTail.rememberIndexes(file.getLen - start)
    val isThere = start >= tail.start && end > start && end <= file.getLen
    val kept = Option.when(isThere && end - start <= MaxKept && ListedFiles.hasEtag(file)) {
      val from = (start - tail.start).toInt
      new FileTail(start, tail.bytes.slice(from, from + (end - start).toInt))
    }
    new IndexBytes(start, end, kept)
  }

  /** Returns where a row group ends according to the footer. */
  private def endOf(rowGroup: BlockMetaData): Long =
    rowGroup.getColumns.asScala.lastOption
      .filterNot(_.isEncrypted)
      .fold(Long.MaxValue)(chunk => math.max(0L, chunk.getStartingPos + chunk.getTotalSize))

  /**
   * Returns where the bloom filters end that lie behind `end`, or `end` if they are not small or their
   * lengths are not known.
   */
  private def withFilters(rowGroups: collection.Seq[BlockMetaData], end: Long): Long = {
    val ends = for {
      rowGroup <- rowGroups.iterator
      chunk <- rowGroup.getColumns.asScala.iterator
      if !chunk.isEncrypted && chunk.getBloomFilterOffset >= end
      offset = chunk.getBloomFilterOffset
      length = chunk.getBloomFilterLength
      isPossible = length > 0 && offset <= Long.MaxValue - length
    } yield if (isPossible) offset + length else Long.MaxValue
    val last = ends.maxOption.getOrElse(end)
    if (end > 0 && last - end <= MaxFilters) math.max(end, last) else end
  }

  /** Returns where the offset indexes of a row group end; 0 if it has none. */
  private def endOfIndexes(rowGroup: BlockMetaData): Long =
    rowGroup.getColumns.asScala.iterator
      .filterNot(_.isEncrypted)
      .flatMap(chunk => Option(chunk.getOffsetIndexReference))
      .map(index => index.getOffset + index.getLength)
      .maxOption
      .getOrElse(0L)
}
