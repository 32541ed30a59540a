package io.github.variantshredded.testing

import java.io.EOFException

import org.apache.hadoop.fs.FSInputStream

/** Reads a file whose bytes are in memory. */
final class MemoryInput(bytes: Array[Byte]) extends FSInputStream {
  private var at = 0L
  override def seek(position: Long): Unit =
    if (position < 0 || position > bytes.length)
      throw new EOFException(s"position $position of a file of ${bytes.length} bytes")
    else at = position
  override def getPos: Long = at
  override def seekToNewSource(position: Long): Boolean = false
  override def read(): Int =
    if (at >= bytes.length) -1
    else {
      at += 1
      bytes(at.toInt - 1) & 0xff
    }
  override def read(into: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0
    else if (at >= bytes.length) -1
    else {
      val count = math.min(length, bytes.length - at.toInt)
      System.arraycopy(bytes, at.toInt, into, offset, count)
      at += count
      count
    }
}
