package io.github.variantshredded.read.footer

import java.util.{Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.{Encoding, EncodingStats}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

/** Says whether a column chunk has a dictionary, according to the footer. */
private[read] object PageEncodings {

  /** Returns true if all data pages store their values as dictionary ids. */
  def areOnlyDictionary(chunk: ColumnChunkMetaData): Boolean =
    areOnlyDictionary(chunk.getEncodingStats, chunk.getEncodings)

  /**
   * Returns true if all data pages store their values as dictionary ids.
   *
   * @param statistics
   *   the encodings by type of page; null if unknown
   */
  def areOnlyDictionary(statistics: EncodingStats, encodings: JSet[Encoding]): Boolean =
    if (statistics == null) {
      // Without encoding statistics, only the older PLAIN_DICTIONARY can be trusted: chunks with
      // RLE_DICTIONARY may have plain pages too.
      val names = encodings.asScala.map(_.name)
      names.contains("PLAIN_DICTIONARY") && names.forall(OfOlderDictionary)
    } else
      statistics.hasDictionaryPages && statistics.hasDictionaryEncodedPages &&
      !statistics.hasNonDictionaryEncodedPages

  /** Returns true if some data pages may store their values as dictionary ids. */
  def mayBeDictionary(chunk: ColumnChunkMetaData): Boolean =
    chunk.getDictionaryPageOffset > 0 || chunk.getEncodings.asScala.exists(_.usesDictionary)

  // By name, because parquet-java calls two of them deprecated.
  private val OfOlderDictionary = Set("PLAIN_DICTIONARY", "RLE", "BIT_PACKED")
}
