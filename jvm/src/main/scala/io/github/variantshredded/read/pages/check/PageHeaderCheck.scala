package io.github.variantshredded.read.pages.check

import java.io.IOException
import java.nio.ByteBuffer

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.format.InvalidParquetMetadataException
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

/**
 * Checks the page headers of a column chunk while its bytes are read, and refuses a page that
 * claims more bytes than the chunk has left. Keeps bytes only if a read ends within a header.
 */
private[read] final class PageHeaderCheck(chunk: ColumnChunkMetaData) {

  private val start = chunk.getStartingPos
  private val end = start + chunk.getTotalSize

  private val counts = new PageCounts

  /** The number of bytes in the chunk after the last header or page. */
  private var bytesLeft = chunk.getTotalSize
  private var valuesLeft = chunk.getValueCount

  /** The number of bytes before the next header that have not been read yet. */
  private var toSkip = 0L

  /** The bytes read from the next header on. */
  private val waiting = mutable.ArrayDeque.empty[ByteBuffer]

  /** Returns true if some of these bytes of the file belong to the chunk. */
  def wants(from: Long, length: Int): Boolean = from < end && from + length > start

  /**
   * Checks the headers in bytes of the file. Calls must be in the order of the file; bytes of other
   * chunks are ignored.
   *
   * @param from
   *   the position of the bytes in the file
   * @param bytes
   *   the position and limit of this buffer are changed, its content is not
   */
  def add(from: Long, bytes: ByteBuffer): Unit = if (wants(from, bytes.remaining)) {
    val first = bytes.position()
    val until = math.min(end - from, bytes.remaining.toLong).toInt
    val own = bytes.limit(first + until).position(first + math.max(0L, start - from).toInt)
    waiting += own
    skip()
    checkHeaders()
  }

  private def checkHeaders(): Unit = {
    var isCut = false
    while (!isCut && valuesLeft > 0 && waiting.nonEmpty) {
      val in = ByteBufferInputStream.wrap(waiting.map(_.duplicate()).asJava)
      // A header that is not cut off but invalid ends here too; parquet-java then fails at it.
      try counts.read(in)
      catch {
        case _: IOException => isCut = true
        // PageCounts.read documents these exceptions of the full parser.
        case _: InvalidParquetMetadataException | _: NullPointerException =>
          throw corrupt("A page header cannot be parsed.")
      }
      if (!isCut) {
        bytesLeft -= in.position()
        check()
        bytesLeft -= counts.compressedSize
        toSkip = in.position() + counts.compressedSize
        skip()
      }
    }
  }

  private def skip(): Unit =
    while (toSkip > 0 && waiting.nonEmpty) {
      val bytes = waiting.head
      val skipped = math.min(toSkip, bytes.remaining.toLong).toInt
      bytes.position(bytes.position() + skipped)
      toSkip -= skipped
      if (!bytes.hasRemaining) waiting.removeHead(): Unit
    }

  private def check(): Unit = {
    val size = counts.compressedSize
    if (size < 0 || size > bytesLeft) {
      throw corrupt(s"A page claims $size bytes of a column chunk that has $bytesLeft left.")
    }
    valuesLeft -= counts.values
    val repetition = counts.repetitionBytes
    val definition = counts.definitionBytes
    if (repetition < 0 || definition < 0 || repetition.toLong + definition > size) {
      throw corrupt(s"A page of $size bytes claims $repetition and $definition bytes of levels.")
    }
  }

  private def corrupt(reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(
      reason,
      ErrorLocation(column = Some(chunk.getPath.toArray.mkString(".")))
    )
}
