package io.github.variantshredded.read.pages

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.{FileSchema, FooterCache, FooterReader}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.{CorruptDeltaByteArrays, HadoopReadOptions}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * The row groups of a file that belong to one split of it.
 *
 * @param reader
 *   of the whole file: it counts the row groups as the footer does
 * @param indexes
 *   those of this split, in the order of the footer
 * @param schema
 *   of the file
 */
private[read] final class RowGroups private (
    val reader: ParquetFileReader,
    val indexes: Array[Int],
    val schema: FileSchema,
    stream: ChunkStream,
    newReader: () => ParquetFileReader
) extends AutoCloseable {

  /** The same with a reader of its own, for other columns; closed with this. */
  def sibling(): RowGroups = new RowGroups(newReader(), indexes, schema, stream, newReader)

  /** What can be read of the file, which is `length` long; nothing of one that is encrypted. */
  def bytes(length: Long): FileBytes = new FileBytes(stream, if (isEncrypted) 0L else length)

  def apply(index: Int): BlockMetaData = reader.getRowGroups.get(index)

  /**
   * Fetches chunks of a row group.
   *
   * @param last
   *   the last chunk, in the order of the footer, that `fetch` fetches
   * @param fetch
   *   a call of [[reader]]
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` for page sizes that the file does not have
   */
  def fetching(last: ColumnChunkMetaData)(fetch: => PageReadStore): PageReadStore =
    // What is encrypted is authenticated, and its headers cannot be read here.
    if (isEncrypted) fetch
    else stream.readRowGroup(last)(fetch)

  def isEncrypted: Boolean =
    reader.getFileMetaData.getEncryptionType != EncryptionType.UNENCRYPTED

  /** Whether values of `DELTA_BYTE_ARRAY` may need the page before theirs, by the file's writer. */
  lazy val prefixesCrossPages: Boolean = CorruptDeltaByteArrays.requiresSequentialReads(
    reader.getFileMetaData.getCreatedBy,
    Encoding.DELTA_BYTE_ARRAY
  )

  override def close(): Unit = reader.close()
}

private[read] object RowGroups {

  /** Opens a file and reads its footer, unless it is known. */
  def open(
      split: PartitionedFile,
      status: FileStatus,
      conf: Configuration,
      codecs: CompressionCodecFactory
  ): RowGroups = {
    val options = HadoopReadOptions
      .builder(conf, split.toPath)
      .usePageChecksumVerification()
      .withCodecFactory(codecs)
      .build()
    val file = HadoopInputFile.fromStatus(status, conf)
    val stream = new ChunkStream(file.newStream())
    val (newReader, schema) =
      try {
        val footer =
          FooterCache.get(status)(FooterReader.read(file, options, stream))
        (() => new ParquetFileReader(file, footer.metadata, options, stream), footer.schema)
      } catch {
        case e: Throwable =>
          stream.close()
          throw e
      }
    val reader = newReader()
    try {
      // The splits were made of the file as it was listed.
      val length = if (split.fileSize > 0) split.fileSize else file.getLength
      val indexes = select(reader.getRowGroups.asScala, split, length)
      reader.getRowGroups.asScala.lastOption.foreach { last =>
        stream.readInWindows(endOf(last), math.min(endOfIndexes(last), file.getLength))
      }
      new RowGroups(reader, indexes, schema, stream, newReader)
    } catch {
      case e: Throwable =>
        reader.close()
        throw e
    }
  }

  /**
   * Indexes of the row groups that belong to `split` of a file of `length` bytes.
   *
   * Each belongs to the split that has its midpoint. parquet-java, given the range, would leave out
   * row groups that are not where the footer says: here, those before or behind all splits belong to
   * the first or the last, where reading them fails.
   */
  def select(
      rowGroups: collection.Seq[BlockMetaData],
      split: PartitionedFile,
      length: Long
  ): Array[Int] = {
    val end = split.start + split.length
    val isFirst = split.start == 0
    val isLast = end >= length
    if (isFirst && isLast) rowGroups.indices.toArray
    else {
      rowGroups.indices.toArray.filter { index =>
        val place = midpoint(rowGroups(index).getColumns.asScala.toSeq)
        (isFirst || place >= split.start) && (isLast || place < end)
      }
    }
  }

  /** Where a row group ends, by the word of the footer. */
  private def endOf(rowGroup: BlockMetaData): Long =
    rowGroup.getColumns.asScala.lastOption
      .filterNot(_.isEncrypted)
      .fold(Long.MaxValue)(chunk => math.max(0L, chunk.getStartingPos + chunk.getTotalSize))

  /** Where the page indexes of a row group end; 0 if it has none. */
  private def endOfIndexes(rowGroup: BlockMetaData): Long =
    rowGroup.getColumns.asScala.iterator
      .filterNot(_.isEncrypted)
      .flatMap(chunk => Option(chunk.getOffsetIndexReference))
      .map(index => index.getOffset + index.getLength)
      .maxOption
      .getOrElse(0L)

  private def midpoint(chunks: Seq[ColumnChunkMetaData]): Long = {
    // Chunks with keys of their own hide their places, and the keys may not be there.
    val plain = chunks.filterNot(_.isEncrypted)
    val known = if (plain.isEmpty) chunks else plain
    if (known.isEmpty) 0L else known.head.getStartingPos + known.map(_.getTotalSize).sum / 2
  }
}
