package io.github.variantshredded.read.skip

import org.apache.parquet.io.SeekableInputStream

/**
 * Reads dictionaries, bloom filters and page indexes of a file, and counts what it reads.
 *
 * @param stream
 *   may be shared with others that seek before they read
 * @param length
 *   of the file
 */
private[read] final class FileBytes(stream: SeekableInputStream, length: Long) {
  private var count = 0L

  /** Bytes read so far. */
  def bytesRead: Long = count

  /** `size` bytes from `offset` on; None if the file does not have them, or they are more than `limit`. */
  def read(offset: Long, size: Long, limit: Int): Option[Array[Byte]] =
    Option.when(offset >= 0 && size > 0 && size <= limit && offset <= length - size) {
      val bytes = new Array[Byte](size.toInt)
      stream.seek(offset)
      stream.readFully(bytes)
      count += size
      bytes
    }

  /** Up to `size` bytes from `offset` on: fewer at the end of the file. */
  def readUpTo(offset: Long, size: Int): Option[Array[Byte]] =
    read(offset, math.min(size.toLong, length - offset), size)
}
