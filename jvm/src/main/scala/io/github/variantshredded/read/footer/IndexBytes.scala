package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.metadata.BlockMetaData

/** Finds the page indexes of a file, which lie between its row groups and its footer. */
private[read] object IndexBytes {

  /** The greatest number of bytes of page indexes that are kept with a footer in the cache. */
  private final val MostKept = 128L << 10

  /** Returns where the page indexes begin and end; the end is 0 if there are none. */
  def range(rowGroups: collection.Seq[BlockMetaData]): (Long, Long) =
    rowGroups.lastOption.fold((0L, 0L))(last => (endOf(last), endOfIndexes(last)))

  /**
   * Returns the page indexes to keep with the footer, if they came with it and the file has an ETag:
   * without one, page indexes might be those of an earlier file.
   */
  def kept(
      file: FileStatus,
      rowGroups: collection.Seq[BlockMetaData],
      tail: FileTail
  ): Option[FileTail] = {
    val (start, end) = range(rowGroups)
    FileTail.rememberIndexes(file.getLen - start)
    val isThere = start >= tail.start && end > start && end <= file.getLen
    Option.when(isThere && end - start <= MostKept && ListedFiles.hasEtag(file)) {
      val from = (start - tail.start).toInt
      new FileTail(start, tail.bytes.slice(from, from + (end - start).toInt))
    }
  }

  /** Returns where a row group ends according to the footer. */
  private def endOf(rowGroup: BlockMetaData): Long =
    rowGroup.getColumns.asScala.lastOption
      .filterNot(_.isEncrypted)
      .fold(Long.MaxValue)(chunk => math.max(0L, chunk.getStartingPos + chunk.getTotalSize))

  /** Returns where the offset indexes of a row group end; 0 if it has none. */
  private def endOfIndexes(rowGroup: BlockMetaData): Long =
    rowGroup.getColumns.asScala.iterator
      .filterNot(_.isEncrypted)
      .flatMap(chunk => Option(chunk.getOffsetIndexReference))
      .map(index => index.getOffset + index.getLength)
      .maxOption
      .getOrElse(0L)
}
