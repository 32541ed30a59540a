package io.github.variantshredded.read.pages

import java.io.{EOFException, IOException}
import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.github.variantshredded.errors.VariantShreddedException
import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.{ParquetFileRange, SeekableInputStream}

/**
 * The bytes of a file on their way to parquet-java, with a look at those of one column chunk.
 *
 * Of the last chunk that it reads of a row group, parquet-java believes every page header: where a
 * page claims more than is left of the chunk, it takes memory for the rest and reads that from behind
 * the chunk. (Writers of long ago gave chunks a size that was too small. But parquet-java loses the
 * bytes that it so reads, and such a file is refused either way.) So the headers of that chunk are
 * checked as its bytes come in; none is read twice.
 */
private[read] final class ChunkStream(delegate: SeekableInputStream) extends SeekableInputStream {
  private var headers: Option[PageHeaderCheck] = None

  private var windows: Option[StreamWindows] = None
  private var position = 0L

  @volatile private var refused: Option[VariantShreddedException] = None

  /**
   * Lets `read` fetch chunks of a row group.
   *
   * @param last
   *   the last of them in the order of the footer
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` for a page of `last` that claims more bytes than there are
   */
  def readRowGroup[T](last: ColumnChunkMetaData)(read: => T): T = {
    headers = Some(new PageHeaderCheck(last))
    refused = None
    try read
    catch { case NonFatal(e) => throw refused.getOrElse(e) }
    finally headers = None
  }

  /** From here on, what lies in `from` to `until` of the file is read in windows. */
  def readInWindows(from: Long, until: Long): Unit =
    windows = Option.when(from < until)(new StreamWindows(delegate, from, until))

  override def readFully(buffer: ByteBuffer): Unit = {
    val from = position
    val bytes = buffer.duplicate()
    moved { delegate.readFully(buffer) }
    headers.foreach(check => refusing(check.add(from, bytes)))
  }

  /** Lets `read` read from the position on. */
  private def moved[T](read: => T): T = {
    if (delegate.getPos != position) delegate.seek(position)
    val result = read
    position = delegate.getPos
    result
  }

  override def readVectored(
      ranges: JList[ParquetFileRange],
      allocator: ByteBufferAllocator
  ): Unit = {
    delegate.readVectored(ranges, allocator)
    headers.foreach { check =>
      val ours = ranges.asScala.filter(range => check.wants(range.getOffset, range.getLength)).toSeq
      val bytes = ours.map(_.getDataReadFuture)
      // They come in any order, and parquet-java waits for one after the other.
      ours.lastOption.foreach(_.setDataReadFuture {
        CompletableFuture.allOf(bytes: _*).thenApply[ByteBuffer] { _ =>
          ours.zip(bytes).foreach { case (range, future) =>
            refusing(check.add(range.getOffset, future.join.duplicate()))
          }
          bytes.last.join
        }
      })
    }
  }

  // After another exception than that of a failed read, parquet-java would read once more.
  private def refusing(body: => Unit): Unit =
    try body
    catch {
      case e: VariantShreddedException =>
        refused = Some(e)
        throw new IOException(e)
    }

  override def seek(to: Long): Unit = position = to

  override def getPos: Long = position

  override def readFully(bytes: Array[Byte]): Unit = readFully(bytes, 0, bytes.length)

  override def readFully(bytes: Array[Byte], start: Int, length: Int): Unit =
    windows.filter(_.has(position)) match {
      case None         => moved(delegate.readFully(bytes, start, length))
      case Some(behind) =>
        var read = 0
        while (read < length) {
          if (!behind.has(position)) throw new EOFException("The file ends before its index.")
          val count = behind.read(position, bytes, start + read, length - read)
          read += count
          position += count
        }
    }

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(bytes: Array[Byte], start: Int, length: Int): Int =
    windows.filter(w => length > 0 && w.has(position)) match {
      case None         => moved(delegate.read(bytes, start, length))
      case Some(behind) =>
        val count = behind.read(position, bytes, start, length)
        position += count
        count
    }

  override def read(buffer: ByteBuffer): Int = moved(delegate.read(buffer))

  override def readVectoredAvailable(allocator: ByteBufferAllocator): Boolean =
    delegate.readVectoredAvailable(allocator)

  override def skip(count: Long): Long = moved(delegate.skip(count))

  override def available(): Int = moved(delegate.available())

  override def close(): Unit = delegate.close()
}
