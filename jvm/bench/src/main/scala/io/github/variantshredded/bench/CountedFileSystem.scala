package io.github.variantshredded.bench

import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream, LocalFileSystem, Path}

/**
 * Reads local files, and counts how many bytes were requested from them. Hadoop's own statistics
 * count what its buffers read ahead, and the checksums.
 */
final class CountedFileSystem extends LocalFileSystem {

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val in = super.open(path, bufferSize)
    new FSDataInputStream(new FSInputStream {
      override def seek(position: Long): Unit = in.seek(position)
      override def getPos: Long = in.getPos
      override def seekToNewSource(position: Long): Boolean = false
      override def close(): Unit = in.close()
      override def read(): Int = counted(in.read(), 1)

      override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
        val count = in.read(bytes, offset, length)
        counted(count, math.max(count, 0))
      }
    })
  }

  private def counted(result: Int, bytes: Int): Int = {
    CountedFileSystem.asked.addAndGet(bytes.toLong)
    result
  }
}

object CountedFileSystem {
  private val asked = new AtomicLong

  /** Settings of a session that make it the file system of local files. */
  val settings: Map[String, String] = Map(
    "spark.hadoop.fs.file.impl" -> classOf[CountedFileSystem].getName,
    // Reads of several ranges at once would go past the stream.
    "spark.hadoop.parquet.hadoop.vectored.io.enabled" -> "false"
  )

  /** Returns the number of bytes read since the last call. */
  def drain(): Long = asked.getAndSet(0)
}
