package io.github.variantshredded.read.pages

import java.util.AbstractList

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.{
  ColumnNames,
  FileSchema,
  FileTail,
  FooterCache,
  FooterCopies,
  FooterReader,
  LeafIndex,
  ListedFiles,
  LocalFiles,
  RenamedFooter
}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.{CorruptDeltaByteArrays, HadoopReadOptions}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * Reads the row groups of a file that belong to one split.
 *
 * @param indexes
 *   the row groups of this split, in the order of the footer
 * @param footer
 *   the footer of the file
 * @param readerOf
 *   creates a reader of the columns in the schema of a footer
 */
private[read] final class RowGroups private (
    val indexes: Array[Int],
    footer: FooterCache.Footer,
    stream: ChunkStream,
    ahead: Option[AheadStream],
    codecs: CompressionCodecFactory,
    readerOf: ParquetMetadata => ParquetFileReader
) extends AutoCloseable {

  /** Returns the schema of the file. */
  def schema: FileSchema = footer.schema

  /** Returns the footer of the file. */
  def metadata: ParquetMetadata = footer.metadata

  /**
   * Returns a reader of selected leaf columns. Its row groups are numbered as in the footer. All
   * readers share one stream, which [[close]] closes.
   */
  def newReader(leaves: LeafIndex): ParquetFileReader = {
    // A reader visits all columns of its schema when it is created, and all chunks of a row group
    // that it reads.
    val file = FooterCopies.withSchema(metadata.getFileMetaData, leaves.projection)
    val all = metadata.getBlocks
    val selected = new AbstractList[BlockMetaData] {
      override def size: Int = all.size
      override def get(index: Int): BlockMetaData = {
        val rowGroup = all.get(index)
        // In other files, a reader requests the chunks in the order of the footer.
        if (footer.isOrdered) FooterCopies.withChunks(rowGroup, leaves.chunks(rowGroup))
        else leaves.distinct(rowGroup)
      }
    }
    readerOf(new ParquetMetadata(file, selected))
  }

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
  def bytes(length: Long): FileBytes = {
    // What is read in windows comes in few requests, or with the footer.
    val requests = Option.when(isRemote) { (parts: Seq[ByteRange]) =>
      request(parts.filterNot(stream.isInWindows))
    }
    new FileBytes(stream, if (isEncrypted) 0L else length, requests)
  }

  def apply(index: Int): BlockMetaData = metadata.getBlocks.get(index)

  /** Returns the number of rows in the file before a row group. */
  def firstRow(index: Int): Long = firstRows(index)

  private lazy val firstRows =
    metadata.getBlocks.asScala.map(_.getRowCount).scanLeft(0L)(_ + _).toArray

  /**
   * Fetches chunks of a row group, and checks their page sizes.
   *
   * @param last
   *   the last chunk, in the order of the footer, that `fetch` fetches
   * @param fetch
   *   a call of a reader of these row groups
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if a page claims more bytes than its chunk has left
   */
  def fetching(last: ColumnChunkMetaData)(fetch: => PageReadStore): PageReadStore =
    // Page headers of an encrypted file cannot be read here. They are authenticated.
    if (isEncrypted) fetch
    else stream.readRowGroup(last)(fetch)

  def isEncrypted: Boolean =
    metadata.getFileMetaData.getEncryptionType != EncryptionType.UNENCRYPTED

  /**
   * True if a value in `DELTA_BYTE_ARRAY` may depend on the page before, because of a bug of the
   * file's writer (PARQUET-246).
   */
  lazy val prefixesCrossPages: Boolean = CorruptDeltaByteArrays.requiresSequentialReads(
    metadata.getFileMetaData.getCreatedBy,
    Encoding.DELTA_BYTE_ARRAY
  )

  override def close(): Unit =
    try stream.close()
    finally codecs.release()
}

private[read] object RowGroups {

  /**
   * Opens a file, and reads its footer unless it is cached.
   *
   * @param names
   *   the names of the columns in the table; None if they are those of the file
   * @param verifiesChecksums
   *   whether the checksums of pages are verified, whatever the configuration says
   */
  def open(
      split: PartitionedFile,
      status: FileStatus,
      conf: Configuration,
      codecs: CompressionCodecFactory,
      names: Option[ColumnNames] = None,
      verifiesChecksums: Boolean = true
  ): RowGroups = {
    val configured = HadoopReadOptions
      .builder(conf, split.toPath)
      .withCodecFactory(codecs)
      // A reader with a filter would number the row groups in another way.
      .withRecordFilter(FilterCompat.NOOP)
      .withUseHadoopVectoredIo(isVectored(status, conf))
    val options =
      (if (verifiesChecksums) configured.usePageChecksumVerification() else configured).build()
    val file = HadoopInputFile.fromStatus(status, conf)
    val opened = file.newStream()
    val isObject = ListedFiles.hasEtag(status)
    val ahead =
      Option.when(isObject && options.useHadoopVectoredIo) {
        new AheadStream(opened)
      }
    val stream = new ChunkStream(ahead.getOrElse(opened))
    try {
      val read = FooterCache.get(status) {
        FooterReader.read(file, options, FileTail.read(stream, status), status)
      }
      val footer = RenamedFooter(read, names)
      // The splits were computed from the length of the file when it was listed.
      val length = if (split.fileSize > 0) split.fileSize else file.getLength
      val indexes = select(footer, split, length)
      val behind = footer.indexes
      val window = if (isObject) StreamWindows.OfObject else StreamWindows.OfFile
      val end = math.min(behind.end, file.getLength)
      stream.readInWindows(behind.start, end, behind.kept, window)
      def readerOf(footer: ParquetMetadata) =
        new ParquetFileReader(file, footer, options, stream)
      new RowGroups(indexes, footer, stream, ahead, codecs, readerOf)
    } catch {
      case e: Throwable =>
        stream.close()
        throw e
    }
  }

  /**
   * Returns whether ranges of the file are read by Hadoop's vectored reads.
   *
   * By default they are not for local files. There, Hadoop reads each range in another thread, and
   * the wait for it takes longer than the read: pages of scattered rows take twice the wall time.
   */
  private def isVectored(status: FileStatus, conf: Configuration): Boolean =
    conf.getBoolean(HADOOP_VECTORED_IO_ENABLED, !LocalFiles.isLocal(status.getPath))

  /**
   * Returns the indexes of the row groups that belong to `split` of a file of `length` bytes.
   *
   * A row group belongs to the split that contains its midpoint. parquet-java's own selection by
   * range would silently leave out row groups whose position in the footer is wrong. Here, row
   * groups before or after all splits belong to the first or last split, where reading them fails.
   */
  private def select(
      footer: FooterCache.Footer,
      split: PartitionedFile,
      length: Long
  ): Array[Int] = {
    val rowGroups = (0 until footer.metadata.getBlocks.size).toArray
    val end = split.start + split.length
    val isFirst = split.start == 0
    val isLast = end >= length
    if (isFirst && isLast) rowGroups
    else {
      val midpoints = footer.midpoints.positions(length)
      rowGroups.filter { index =>
        val midpoint = midpoints(index)
        (isFirst || midpoint >= split.start) && (isLast || midpoint < end)
      }
    }
  }
}
