package io.github.variantshredded.read.pages

import java.io.IOException
import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.footer.FileTail
import io.github.variantshredded.read.pages.check.PageHeaderCheck
import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.{ParquetFileRange, SeekableInputStream}

/**
 * Passes the bytes of a file to parquet-java, and checks the page headers of one column chunk.
 *
 * parquet-java does not check the page headers of the last chunk that it reads of a row group. If a
 * page claims more bytes than are left of the chunk, parquet-java allocates memory for the missing
 * bytes and reads them from after the chunk. (It does this for old writers, which stored too small
 * a chunk size. But it then loses these bytes, so such a file is refused in any case.) So this
 * class checks the page headers of that chunk while its bytes are read. It reads no bytes twice.
 */
private[read] final class ChunkStream(delegate: SeekableInputStream) extends SeekableInputStream {
  private var headers: Option[PageHeaderCheck] = None

  private var windows: Option[StreamWindows] = None
  private var position = 0L

  @volatile private var refused: Option[VariantShreddedException] = None

  /**
   * Runs `read`, which fetches chunks of a row group, and checks the page headers of one of them.
   *
   * @param last
   *   the chunk that comes last in the footer's order
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if a page of `last` claims more bytes than the chunk has left
   */
  def readRowGroup[T](last: ColumnChunkMetaData)(read: => T): T = {
    headers = Some(new PageHeaderCheck(last))
    refused = None
    try read
    catch { case NonFatal(e) => throw refused.getOrElse(e) }
    finally headers = None
  }

  /**
   * Reads the bytes `[from, until)` of the file in windows from now on.
   *
   * @param tail
   *   the end of the file, if it has been read already
   * @param size
   *   the number of bytes in a window
   */
  def readInWindows(from: Long, until: Long, tail: Option[FileTail], size: Int): Unit =
    windows = Option.when(from < until)(new StreamWindows(delegate, from, until, tail, size))

  /** Returns whether all of these bytes are read in windows. */
  def isInWindows(bytes: ByteRange): Boolean =
    windows.exists(w => w.has(bytes.start) && w.has(bytes.end - 1))

  override def readFully(buffer: ByteBuffer): Unit = {
    val from = position
    val bytes = buffer.duplicate()
    moved { delegate.readFully(buffer) }
    headers.foreach(check => refusing(check.add(from, bytes)))
  }

  /** Runs `read`, which reads from the wrapped stream, at the position of this stream. */
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
      // The ranges arrive in any order, and parquet-java waits for one after the other. So the
      // headers are checked once all ranges have arrived, before parquet-java gets the last one.
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

  // After an exception that is not a failed read, parquet-java would read once more.
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
        while (read < length && behind.has(position)) {
          val count = behind.read(position, bytes, start + read, length - read)
          read += count
          position += count
        }
        // A bloom filter of unknown length may be read beyond the windows.
        if (read < length) moved(delegate.readFully(bytes, start + read, length - read))
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
