package io.github.variantshredded.read.pages

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.{
  ColumnNames,
  FileSchema,
  FileTail,
  FooterCache,
  FooterReader,
  IndexBytes,
  ListedFiles,
  RenamedFooter
}
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
 * Reads the row groups of a file that belong to one split.
 *
 * @param reader
 *   reads the whole file, so its row groups are numbered as in the footer
 * @param indexes
 *   the row groups of this split, in the order of the footer
 * @param schema
 *   the schema of the file
 */
private[read] final class RowGroups private (
    val reader: ParquetFileReader,
    val indexes: Array[Int],
    val schema: FileSchema,
    stream: ChunkStream,
    ahead: Option[AheadStream],
    newReader: () => ParquetFileReader
) extends AutoCloseable {

  /**
   * Returns the same row groups with another reader, for other columns. Both readers share one
   * stream, which is closed when either is closed.
   */
  def sibling(): RowGroups = new RowGroups(newReader(), indexes, schema, stream, ahead, newReader)

  /** Returns true if requests take so long that several are better made at the same time. */
  def isRemote: Boolean = ahead.isDefined

  /**
   * Returns whether anything was read of a remote file, its footer included. If so, the file is
   * what its ETag says.
   */
  def hasRead: Boolean = ahead.exists(_.isUsed)

  /** Requests bytes that will be read soon, if the file [[isRemote]]. Does not wait for them. */
  def request(ranges: Seq[ByteRange]): Unit = ahead.foreach(_.request(ranges))

  /**
   * Returns access to the bytes of the file, which is `length` bytes long; no bytes can be read if
   * the file is encrypted.
   */
  def bytes(length: Long): FileBytes = new FileBytes(stream, if (isEncrypted) 0L else length)

  def apply(index: Int): BlockMetaData = reader.getRowGroups.get(index)

  /** Returns the number of rows in the file before a row group. */
  def firstRow(index: Int): Long = firstRows(index)

  private lazy val firstRows =
    reader.getRowGroups.asScala.map(_.getRowCount).scanLeft(0L)(_ + _).toArray

  /**
   * Fetches chunks of a row group, and checks their page sizes.
   *
   * @param last
   *   the last chunk, in the order of the footer, that `fetch` fetches
   * @param fetch
   *   a call of [[reader]]
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if a page claims more bytes than its chunk has left
   */
  def fetching(last: ColumnChunkMetaData)(fetch: => PageReadStore): PageReadStore =
    // Page headers of an encrypted file cannot be read here. They are authenticated.
    if (isEncrypted) fetch
    else stream.readRowGroup(last)(fetch)

  def isEncrypted: Boolean =
    reader.getFileMetaData.getEncryptionType != EncryptionType.UNENCRYPTED

  /**
   * True if a value in `DELTA_BYTE_ARRAY` may depend on the page before, because of a bug of the
   * file's writer (PARQUET-246).
   */
  lazy val prefixesCrossPages: Boolean = CorruptDeltaByteArrays.requiresSequentialReads(
    reader.getFileMetaData.getCreatedBy,
    Encoding.DELTA_BYTE_ARRAY
  )

  override def close(): Unit = reader.close()
}

private[read] object RowGroups {

  /**
   * Opens a file, and reads its footer unless it is cached.
   *
   * @param names
   *   the names of the columns in the table; None if they are those of the file
   */
  def open(
      split: PartitionedFile,
      status: FileStatus,
      conf: Configuration,
      codecs: CompressionCodecFactory,
      names: Option[ColumnNames] = None
  ): RowGroups = {
    val options = HadoopReadOptions
      .builder(conf, split.toPath)
      .usePageChecksumVerification()
      .withCodecFactory(codecs)
      .build()
    val file = HadoopInputFile.fromStatus(status, conf)
    val opened = file.newStream()
    val ahead =
      Option.when(ListedFiles.hasEtag(status) && options.useHadoopVectoredIo) {
        new AheadStream(opened)
      }
    val stream = new ChunkStream(ahead.getOrElse(opened))
    val (newReader, schema, known) =
      try {
        val read = FooterCache.get(status) {
          FooterReader.read(file, options, FileTail.read(stream, status), status)
        }
        val footer = RenamedFooter(read, names)
        def newReader() = new ParquetFileReader(file, footer.metadata, options, stream)
        (() => newReader(), footer.schema, read.indexes)
      } catch {
        case e: Throwable =>
          stream.close()
          throw e
      }
    val reader = newReader()
    try {
      // The splits were computed from the length of the file when it was listed.
      val length = if (split.fileSize > 0) split.fileSize else file.getLength
      val indexes = select(reader.getRowGroups.asScala, split, length)
      val (start, end) = IndexBytes.range(reader.getRowGroups.asScala)
      stream.readInWindows(start, math.min(end, file.getLength), known)
      new RowGroups(reader, indexes, schema, stream, ahead, newReader)
    } catch {
      case e: Throwable =>
        reader.close()
        throw e
    }
  }

  /**
   * Returns the indexes of the row groups that belong to `split` of a file of `length` bytes.
   *
   * A row group belongs to the split that contains its midpoint. parquet-java's own selection by
   * range would silently leave out row groups whose position in the footer is wrong. Here, row
   * groups before or after all splits belong to the first or last split, where reading them fails.
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

  private def midpoint(chunks: Seq[ColumnChunkMetaData]): Long = {
    // The positions of chunks with encryption keys of their own are hidden, and the keys may not be
    // available.
    val plain = chunks.filterNot(_.isEncrypted)
    val known = if (plain.isEmpty) chunks else plain
    if (known.isEmpty) 0L else known.head.getStartingPos + known.map(_.getTotalSize).sum / 2
  }
}
