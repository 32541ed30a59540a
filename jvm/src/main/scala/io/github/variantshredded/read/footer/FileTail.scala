package io.github.variantshredded.read.footer

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.atomic.AtomicInteger

import io.github.variantshredded.variant.LittleEndian
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.io.{DelegatingSeekableInputStream, SeekableInputStream}

/**
 * Holds the last bytes of a file: its footer, and as much before it as one request brought along,
 * such as page indexes.
 *
 * @param start
 *   the position in the file of the first byte
 */
private[read] final class FileTail(val start: Long, val bytes: Array[Byte]) {

  /** Returns a stream of the file that can read these bytes only. */
  def newStream(): SeekableInputStream = {
    val in = new FileTail.Bytes(bytes)
    new DelegatingSeekableInputStream(in) {
      override def getPos: Long = start + in.position
      override def seek(position: Long): Unit = in.moveTo(math.toIntExact(position - start))
    }
  }
}

private[read] object FileTail {

  /** The least number of bytes that are requested. */
  private final val Least = 64 << 10

  /** The least number of bytes that are requested from an object store: most page indexes too. */
  private final val LeastOfObject = 256 << 10

  /** The greatest number of bytes that are requested before the size of the footer is known. */
  private final val MaxUnknown = 1 << 20

  /** The greatest size of footer and page indexes together for which both are requested. */
  private final val MaxWithIndexes = 512 << 10

  /** The bytes after the footer: its length, and the magic number. */
  private final val EndBytes = 8

  /** The number of bytes to request: enough for the footers that were read recently. */
  private val expected = new AtomicInteger(Least)

  private final class Bytes(bytes: Array[Byte]) extends ByteArrayInputStream(bytes) {
    def position: Int = pos
    def moveTo(position: Int): Unit = pos = position
  }

  /**
   * Reads the end of a file, in one request if its footer is not larger than those before. It holds
   * the whole footer, unless the file is no Parquet file.
   *
   * A request to an object store takes as long as some hundred KiB do. Elsewhere only a small part of
   * the file is read beside its footer.
   */
  def read(stream: SeekableInputStream, file: FileStatus): FileTail = {
    val length = file.getLen
    val wanted =
      if (ListedFiles.hasEtag(file)) math.max(expected.get, LeastOfObject).toLong
      else math.min(expected.get.toLong, math.max(length / 16, EndBytes))
    val size = math.min(length, wanted).toInt
    val end = bytes(stream, length - size, size)
    val needed = footerBytes(end)
    remember(needed)
    if (needed <= size || needed > math.min(length, Int.MaxValue - EndBytes.toLong))
      new FileTail(length - size, end)
    else {
      val tail = new Array[Byte](needed.toInt)
      stream.seek(length - needed)
      stream.readFully(tail, 0, tail.length - size)
      System.arraycopy(end, 0, tail, tail.length - size, size)
      new FileTail(length - needed, tail)
    }
  }

  /** Returns the number of bytes that footers of files like the last ones take, up to 1 MiB. */
  def usualSize: Int = expected.get

  /** Remembers that the last `size` bytes of a file hold its footer and its page indexes. */
  def rememberIndexes(size: Long): Unit = if (size > 0 && size <= MaxWithIndexes) remember(size)

  private def remember(size: Long): Unit = {
    val withMargin = size + size / 4
    val _ = expected.updateAndGet { before =>
      val now = math.max(withMargin, before - before / 8L)
      math.min(math.max(now, Least.toLong), MaxUnknown.toLong).toInt
    }
  }

  private def bytes(stream: SeekableInputStream, position: Long, size: Int): Array[Byte] = {
    val bytes = new Array[Byte](size)
    stream.seek(position)
    stream.readFully(bytes)
    bytes
  }

  /** Returns the bytes from the footer to the end of the file; 0 if it is no Parquet file. */
  private def footerBytes(end: Array[Byte]): Long =
    if (end.length < EndBytes) 0L
    else {
      val magic = new String(end, end.length - 4, 4, US_ASCII)
      val isParquet = magic == "PAR1" || magic == "PARE"
      val size = LittleEndian.getInt(end, end.length - EndBytes) & 0xffffffffL
      if (isParquet) size + EndBytes else 0L
    }
}
