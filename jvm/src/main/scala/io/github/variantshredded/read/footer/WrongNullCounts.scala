package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.{SemanticVersion, VersionParser}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}

/**
 * Removes the null counts from footers of writers that wrote wrong ones. Where the footer has none,
 * those in the column index are not used either.
 */
private[read] object WrongNullCounts {

  /**
   * The versions that write right null counts, by the name of the writer.
   *
   *   - Polars multiplied them by the number of pages (pola-rs/polars#29321), and did not count the
   *     nulls of lists (pola-rs/polars#20621). It wrote no version before 2.0.0.
   *   - parquet-cpp wrote 0 for dictionary arrays (ARROW-12513), and did not count the nulls of
   *     lists (PARQUET-2067).
   *   - parquet-rs wrote 0 if all values were null (apache/arrow-rs#306).
   */
  private val Corrected = Map(
    "Polars" -> new SemanticVersion(2, 1, 0),
    "parquet-cpp" -> new SemanticVersion(6, 0, 0),
    "parquet-cpp-arrow" -> new SemanticVersion(6, 0, 0),
    "parquet-rs" -> new SemanticVersion(4, 2, 0)
  )

  /** Returns the footer without null counts, if its writer may have got them wrong. */
  def remove(footer: ParquetMetadata): ParquetMetadata =
    if (!mayBeWrong(footer.getFileMetaData.getCreatedBy)) footer
    else {
      val rowGroups = footer.getBlocks.asScala.map(withoutCounts)
      new ParquetMetadata(footer.getFileMetaData, rowGroups.asJava)
    }

  /**
   * Returns whether a writer may have written wrong null counts.
   *
   * @param createdBy
   *   the writer according to the footer; null if it does not say
   */
  private[footer] def mayBeWrong(createdBy: String): Boolean =
    Option(createdBy).exists { writer =>
      // Polars names its language before the version: "Polars (python) version 2.1.0".
      val name = writer.split(" \\(| version", 2).head
      Corrected.get(name).exists(right => version(writer).forall(_.compareTo(right) < 0))
    }

  private def version(writer: String): Option[SemanticVersion] =
    try Option(VersionParser.parse(writer)).filter(_.hasSemanticVersion).map(_.getSemanticVersion)
    catch { case NonFatal(_) => None }

  private def withoutCounts(rowGroup: BlockMetaData): BlockMetaData =
    FooterCopies.withChunks(rowGroup, rowGroup.getColumns.asScala.map(withoutCount))

  // The metadata of an encrypted chunk may need a key that the reader does not have.
  private def withoutCount(chunk: ColumnChunkMetaData): ColumnChunkMetaData =
    if (chunk.isEncrypted || NullCounts.of(chunk).isEmpty) chunk
    else {
      val column = chunk.getPrimitiveType
      FooterCopies.chunk(chunk, chunk.getPath, column, onlyBounds(chunk.getStatistics))
    }

  private def onlyBounds(statistics: Statistics[_]): Statistics[_] = {
    val builder = Statistics.getBuilderForReading(statistics.`type`)
    if (statistics.hasNonNullValue)
      builder.withMin(statistics.getMinBytes).withMax(statistics.getMaxBytes).build()
    else builder.build()
  }
}
