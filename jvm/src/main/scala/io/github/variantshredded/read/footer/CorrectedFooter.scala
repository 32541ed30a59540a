package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.WrongStatistics._
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  ParquetMetadata
}

/**
 * Removes statistics, and references to bloom filters and page indexes, from footers of writers
 * that wrote wrong ones ([[WrongStatistics]]).
 *
 * A chunk that loses its bounds loses its column index too, which has bounds by the same writer.
 * Where the footer has no null count, those in the column index are not used either.
 */
private[footer] object CorrectedFooter {

  /** Returns the footer without the statistics that its writer may have got wrong. */
  def of(footer: ParquetMetadata): ParquetMetadata = {
    val wrong = WrongStatistics.of(footer.getFileMetaData.getCreatedBy)
    if (wrong.isEmpty) footer
    else {
      val leaves = footer.getFileMetaData.getSchema.getColumns.asScala
        .map(leaf => ColumnPath.get(leaf.getPath: _*) -> wrong.filter(_.concerns(leaf)))
        .toMap
      val rowGroups = footer.getBlocks.asScala.map(corrected(_, leaves))
      new ParquetMetadata(footer.getFileMetaData, rowGroups.asJava)
    }
  }

  /**
   * Returns the row group without its wrong statistics.
   *
   * @param wrong
   *   the kinds of wrong statistics, by leaf column
   */
  private def corrected(rowGroup: BlockMetaData, wrong: Map[ColumnPath, Set[Kind]]): BlockMetaData =
    FooterCopies.withChunks(
      rowGroup,
      rowGroup.getColumns.asScala.map { chunk =>
        // The metadata of an encrypted chunk may need a key that the reader does not have.
        if (chunk.isEncrypted) chunk
        else corrected(chunk, wrong.getOrElse(chunk.getPath, Set.empty).filter(_.concerns(chunk)))
      }
    )

  private def corrected(chunk: ColumnChunkMetaData, wrong: Set[Kind]): ColumnChunkMetaData =
    if (wrong.isEmpty) chunk
    else {
      val hasBounds = !wrong.exists(_.isInstanceOf[OfBounds])
      val count = NullCounts.of(chunk)
      val hasCount = !wrong(NullCount) && !wrong(RepeatedNullCount) &&
        (!wrong(NestedNullCount) || count.contains(chunk.getValueCount))
      val hasPages = !wrong(RepeatedRows) && !wrong(FirstRows)
      val encodings = if (wrong(EncodingStatistics)) null else chunk.getEncodingStats
      val hasFilter = !wrong(DictionaryBloomFilter) || chunk.getBloomFilterOffset < 0 ||
        PageEncodings.areOnlyDictionary(encodings, chunk.getEncodings)
      val isRight = hasBounds && hasPages && hasFilter && (hasCount || count.isEmpty) &&
        encodings == chunk.getEncodingStats
      if (isRight) chunk
      else {
        val right: Statistics[_] =
          if (hasBounds && hasCount) chunk.getStatistics
          else statistics(chunk, hasBounds, hasCount)
        val made =
          FooterCopies.chunk(chunk, chunk.getPath, chunk.getPrimitiveType, right, encodings)
        if (!hasBounds || !hasPages) made.setColumnIndexReference(null)
        if (!hasPages) made.setOffsetIndexReference(null)
        if (!hasFilter) made.setBloomFilterOffset(FooterCopies.NoBloomFilter)
        made
      }
    }

  private def statistics(
      chunk: ColumnChunkMetaData,
      hasBounds: Boolean,
      hasCount: Boolean
  ): Statistics[_] = {
    val found: Statistics[_] = chunk.getStatistics
    val builder = Statistics.getBuilderForReading(chunk.getPrimitiveType)
    if (found != null) {
      if (hasBounds && found.hasNonNullValue)
        builder.withMin(found.getMinBytes).withMax(found.getMaxBytes)
      // Without its bounds, a chunk whose null count they contradict would seem to be all null.
      val isPossible = !found.hasNonNullValue || found.getNumNulls < chunk.getValueCount
      if (hasCount && isPossible) NullCounts.of(found).foreach(builder.withNumNulls(_))
    }
    builder.build()
  }
}
