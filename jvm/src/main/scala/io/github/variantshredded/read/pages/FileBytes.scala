package io.github.variantshredded.read.pages

import scala.collection.mutable

import org.apache.parquet.io.SeekableInputStream

/**
 * Reads dictionary pages, bloom filters and page indexes of a file. Several predicates may need the
 * same bytes, so recently read bytes are cached.
 *
 * @param stream
 *   may be shared with other users that seek before they read
 * @param length
 *   bytes of the file; 0 if the file cannot be read in this way because it is encrypted
 * @param ahead
 *   requests bytes that will be read soon; None if this saves nothing
 */
private[read] final class FileBytes(
    stream: SeekableInputStream,
    length: Long,
    ahead: Option[Seq[ByteRange] => Unit] = None
) {
  import FileBytes._

  // In the order in which they were read.
  private val recent = mutable.LinkedHashMap.empty[(Long, Long), Array[Byte]]
  private var recentBytes = 0L

  /**
   * Returns `size` bytes of the file from `offset` on, or None if the file does not have these
   * bytes or `size` exceeds `limit`.
   *
   * @return
   *   an array that the caller must not change
   */
  def read(offset: Long, size: Long, limit: Int): Option[Array[Byte]] =
    Option.when(size <= limit && has(offset, size)) {
      recent.getOrElse(
        (offset, size), {
          val bytes = new Array[Byte](size.toInt)
          stream.seek(offset)
          stream.readFully(bytes)
          keep(offset, bytes)
          bytes
        }
      )
    }

  /** Returns up to `size` bytes of the file from `offset` on; fewer at the end of the file. */
  def readUpTo(offset: Long, size: Int): Option[Array[Byte]] =
    read(offset, math.min(size.toLong, length - offset), size)

  /**
   * Requests parts of the file together, ahead of the calls of [[read]] that need them, where this
   * saves requests. Parts that the file does not have are left out.
   */
  def request(parts: => Seq[ByteRange]): Unit = ahead.foreach { send =>
    val missing = parts.filter(part => has(part) && !recent.contains((part.start, part.size)))
    if (missing.nonEmpty) send(missing)
  }

  /** Returns whether the file has these bytes, and they can be read in this way. */
  def has(part: ByteRange): Boolean = has(part.start, part.size)

  private def has(offset: Long, size: Long): Boolean =
    offset >= 0 && size > 0 && offset <= length - size

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
