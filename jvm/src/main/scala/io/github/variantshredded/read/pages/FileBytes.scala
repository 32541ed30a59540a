package io.github.variantshredded.read.pages

import scala.collection.mutable

import org.apache.parquet.io.SeekableInputStream

/**
 * Reads dictionaries, bloom filters and page indexes of a file, and counts what it reads. Several
 * conditions look at the same ones, so that what was read lately is kept.
 *
 * @param stream
 *   may be shared with others that seek before they read
 * @param length
 *   of the file; 0 if nothing of it can be read as it is, as where it is encrypted
 */
private[read] final class FileBytes(stream: SeekableInputStream, length: Long) {
  import FileBytes._

  private var count = 0L

  // The oldest first.
  private val recent = mutable.LinkedHashMap.empty[(Long, Long), Array[Byte]]
  private var recentBytes = 0L

  /** Bytes read so far. */
  def bytesRead: Long = count

  /**
   * `size` bytes from `offset` on; None if the file does not have them, or they are more than
   * `limit`.
   *
   * @return
   *   not to be changed
   */
  def read(offset: Long, size: Long, limit: Int): Option[Array[Byte]] =
    Option.when(offset >= 0 && size > 0 && size <= limit && offset <= length - size) {
      recent.getOrElse(
        (offset, size), {
          val bytes = new Array[Byte](size.toInt)
          stream.seek(offset)
          stream.readFully(bytes)
          count += size
          keep(offset, bytes)
          bytes
        }
      )
    }

  /** Up to `size` bytes from `offset` on: fewer at the end of the file. */
  def readUpTo(offset: Long, size: Int): Option[Array[Byte]] =
    read(offset, math.min(size.toLong, length - offset), size)

  private def keep(offset: Long, bytes: Array[Byte]): Unit = if (bytes.length <= MaxKept) {
    recent.put((offset, bytes.length.toLong), bytes)
    recentBytes += bytes.length
    while (recentBytes > MaxKept) {
      val (oldest, dropped) = recent.head
      recent.remove(oldest)
      recentBytes -= dropped.length
    }
  }
}

private object FileBytes {
  private final val MaxKept = 2 << 20
}
