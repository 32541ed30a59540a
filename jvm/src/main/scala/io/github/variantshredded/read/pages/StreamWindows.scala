package io.github.variantshredded.read.pages

import scala.collection.mutable

import io.github.variantshredded.read.footer.FileTail
import org.apache.parquet.io.SeekableInputStream

/**
 * Reads the part of a file between its row groups and its footer in windows. The page indexes in this
 * part are small (some hundred bytes each) and adjacent, and on every file system a seek takes longer
 * than reading more bytes.
 *
 * @param from
 *   the position where this part begins
 * @param until
 *   the position where it ends
 * @param tail
 *   the end of the file, if it has been read already
 * @param size
 *   the number of bytes in a window
 */
private[read] final class StreamWindows(
    delegate: SeekableInputStream,
    from: Long,
    until: Long,
    tail: Option[FileTail],
    size: Int
) {
  import StreamWindows._

  private final class Window(val start: Long, val bytes: Array[Byte])

  private val known = tail.map(end => new Window(end.start, end.bytes))

  private val windows = mutable.ArrayDeque.empty[Window]

  /** Returns true if the byte at `position` is in this part of the file. */
  def has(position: Long): Boolean = position >= from && position < until

  /**
   * Reads at least one and up to `length` bytes.
   *
   * @param position
   *   a position for which [[has]] is true
   * @return
   *   the number of bytes read
   */
  def read(position: Long, target: Array[Byte], offset: Int, length: Int): Int = {
    val window = find(position)
    val skipped = (position - window.start).toInt
    val count = math.min(length, window.bytes.length - skipped)
    System.arraycopy(window.bytes, skipped, target, offset, count)
    count
  }

  private def find(position: Long): Window =
    (known.iterator ++ windows)
      .find(w => position >= w.start && position < w.start + w.bytes.length)
      .getOrElse(load(position))

  // Reads may go backwards, so windows begin at fixed positions.
  private def load(position: Long): Window = {
    val start = position - (position - from) % size
    val bytes = new Array[Byte](math.min(size.toLong, until - start).toInt)
    delegate.seek(start)
    delegate.readFully(bytes)
    if (windows.size == Kept) windows.removeHead(): Unit
    val window = new Window(start, bytes)
    windows += window
    window
  }
}

private[read] object StreamWindows {

  /** The size of a window of a file in an object store, where a request takes as long as its bytes. */
  final val OfObject: Int = 512 << 10

  /** The size of a window of other files. */
  final val OfFile: Int = 64 << 10

  private final val Kept = 4
}
