package io.github.variantshredded.read.pages

import scala.collection.mutable

import org.apache.parquet.io.SeekableInputStream

/**
 * The part of a file between its row groups and its footer, read a window at a time. Page indexes
 * lie there side by side, some hundred bytes each, and every file system takes longer to find bytes
 * than to read them.
 *
 * @param from
 *   where that part begins
 * @param until
 *   where it ends
 */
private[read] final class StreamWindows(delegate: SeekableInputStream, from: Long, until: Long) {
  import StreamWindows._

  private final class Window(val start: Long, val bytes: Array[Byte])

  private val windows = mutable.ArrayDeque.empty[Window]

  /** Whether bytes at `position` are read here. */
  def has(position: Long): Boolean = position >= from && position < until

  /**
   * Reads up to `length` bytes, one at least.
   *
   * @param position
   *   a place that this [[has]]
   */
  def read(position: Long, target: Array[Byte], offset: Int, length: Int): Int = {
    val window = find(position)
    val skipped = (position - window.start).toInt
    val count = math.min(length, window.bytes.length - skipped)
    System.arraycopy(window.bytes, skipped, target, offset, count)
    count
  }

  private def find(position: Long): Window =
    windows
      .find(w => position >= w.start && position < w.start + w.bytes.length)
      .getOrElse(load(position))

  // What is looked for first may lie behind what is looked for next, so windows begin at fixed places.
  private def load(position: Long): Window = {
    val start = position - (position - from) % Size
    val bytes = new Array[Byte](math.min(Size.toLong, until - start).toInt)
    delegate.seek(start)
    delegate.readFully(bytes)
    if (windows.size == Kept) windows.removeHead(): Unit
    val window = new Window(start, bytes)
    windows += window
    window
  }
}

private object StreamWindows {
  private final val Size = 64 << 10
  private final val Kept = 4
}
