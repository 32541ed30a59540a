package io.github.variantshredded.read.pages

import java.io.EOFException
import java.nio.ByteBuffer
import java.util.{ArrayList => JArrayList, List => JList, TreeMap => JTreeMap}
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.bytes.{ByteBufferAllocator, HeapByteBufferAllocator}
import org.apache.parquet.io.{ParquetFileRange, SeekableInputStream}

/**
 * Reads a file of an object store, where a request takes as long as reading some hundred KiB: it can
 * request ranges together, ahead of the reads that need them. These reads then get their bytes from
 * memory. Other reads go to the wrapped stream.
 *
 * The file system merges and splits the ranges by its settings for vectored reads, and reads them
 * at the same time, in the background.
 */
private[pages] final class AheadStream(delegate: SeekableInputStream) extends SeekableInputStream {
  import AheadStream._

  // The parts that are kept, in the order of the requests, and by where they start. They do not
  // overlap.
  private val requested = mutable.LinkedHashSet.empty[Part]
  private val byStart = new JTreeMap[Long, Part]
  private var keptBytes = 0L
  private var position = 0L

  /** Whether anything has been requested. */
  var isUsed: Boolean = false

  /** Requests ranges, except what has been requested before and is still kept. */
  def request(ranges: Seq[ByteRange]): Unit = {
    val missing = ByteRange.merged(ranges).flatMap(missingOf).filter(_.size <= MaxPart)
    if (missing.nonEmpty && delegate.readVectoredAvailable(Allocator)) {
      val parts = missing.map(new Part(_))
      isUsed = true
      delegate.readVectored(new JArrayList(parts.map(_.range).asJava), Allocator)
      parts.foreach(keep)
      while (keptBytes > MaxKept && requested.size > parts.size) drop(requested.head)
    }
  }

  private def keep(part: Part): Unit = {
    requested += part
    byStart.put(part.start, part)
    keptBytes += part.size
  }

  private def drop(part: Part): Unit = {
    requested -= part
    byStart.remove(part.start)
    keptBytes -= part.size
  }

  /** Returns the bytes of a range that are in no part. */
  private def missingOf(range: ByteRange): Seq[ByteRange] = {
    val first = part(range.start).fold(range.start)(_.start)
    val parts = byStart.subMap(first, math.max(first, range.end)).values
    range.without(parts.asScala.toSeq.map(_.bytes))
  }

  private def part(position: Long): Option[Part] =
    Option(byStart.floorEntry(position)).map(_.getValue).filter(_.has(position))

  /** Returns where the next part after a position starts. */
  private def nextStart(position: Long): Option[Long] =
    Option(byStart.higherEntry(position)).map(_.getValue.start)

  /** Reads at least one byte, and up to `length`, at the position of this stream. */
  private def readSome(target: Array[Byte], offset: Int, length: Int): Int =
    part(position).flatMap(bytesOf) match {
      case Some((part, bytes)) =>
        val from = (position - part.start).toInt
        val count = math.min(length, part.size - from)
        bytes.duplicate().position(bytes.position() + from).get(target, offset, count)
        position += count
        count
      case None =>
        // Up to the next bytes that have been requested.
        val count =
          nextStart(position).fold(length)(end => math.min(length.toLong, end - position).toInt)
        moved(delegate.read(target, offset, count))
    }

  /** Waits for the bytes of a part. If they could not be read, the wrapped stream is asked again. */
  private def bytesOf(part: Part): Option[(Part, ByteBuffer)] = {
    val bytes = awaited(part.range)
    if (bytes.isEmpty) drop(part)
    bytes.map(part -> _)
  }

  /** Waits for the bytes of a range. Returns None if they could not be read. */
  private def awaited(range: ParquetFileRange): Option[ByteBuffer] =
    try Some(range.getDataReadFuture.get(TimeoutSeconds, TimeUnit.SECONDS))
    catch {
      case e: InterruptedException => throw e
      case NonFatal(_)             => None
    }

  override def readFully(target: Array[Byte], offset: Int, length: Int): Unit =
    if (part(position).isEmpty && nextStart(position).forall(_ >= position + length)) {
      moved(delegate.readFully(target, offset, length))
    } else {
      var read = 0
      while (read < length) {
        val count = readSome(target, offset + read, length - read)
        if (count < 0) throw new EOFException(s"The file ends at $position.")
        read += count
      }
    }

  override def readFully(buffer: ByteBuffer): Unit =
    if (buffer.hasArray && part(position).isDefined) {
      val length = buffer.remaining
      readFully(buffer.array, buffer.arrayOffset + buffer.position(), length)
      buffer.position(buffer.limit())
    } else {
      moved(delegate.readFully(buffer))
    }

  // A range that could not be read is read again without vectored reads, which file systems try more
  // often. So the ranges are complete at the end.
  override def readVectored(
      ranges: JList[ParquetFileRange],
      allocator: ByteBufferAllocator
  ): Unit = {
    val all = ranges.asScala.toSeq
    request(all.map(rangeOf))
    val tooLarge = all.filter(range => missingOf(rangeOf(range)).nonEmpty)
    val atOnce = if (areReadAtOnce(tooLarge)) tooLarge.toSet else Set.empty[ParquetFileRange]
    if (atOnce.nonEmpty) {
      isUsed = true
      delegate.readVectored(new JArrayList(tooLarge.asJava), allocator)
    }
    all.filterNot(atOnce).foreach { range =>
      val bytes = part(range.getOffset)
        .filter(_.contains(rangeOf(range)))
        .flatMap(bytesOf)
        .map { case (part, all) =>
          val from = all.position() + (range.getOffset - part.start).toInt
          all.duplicate().position(from).limit(from + range.getLength).slice()
        }
        .getOrElse(readAlone(range, allocator)) // in several parts, or in none
      range.setDataReadFuture(CompletableFuture.completedFuture(bytes))
    }
    atOnce.foreach { range =>
      if (awaited(range).isEmpty) {
        range.setDataReadFuture(CompletableFuture.completedFuture(readAlone(range, allocator)))
      }
    }
  }

  /**
   * Returns whether the wrapped stream reads ranges that are not kept at the same time. File systems
   * refuse ranges that overlap, which only damaged files have.
   */
  private def areReadAtOnce(ranges: Seq[ParquetFileRange]): Boolean = {
    val bytes = ranges.map(rangeOf)
    ranges.size > 1 && delegate.readVectoredAvailable(Allocator) &&
    ByteRange.merged(bytes).map(_.size).sum == bytes.map(_.size).sum
  }

  private def readAlone(range: ParquetFileRange, allocator: ByteBufferAllocator): ByteBuffer = {
    val bytes = allocator.allocate(range.getLength)
    seek(range.getOffset)
    readFully(bytes)
    bytes.flip()
  }

  override def readVectoredAvailable(allocator: ByteBufferAllocator): Boolean =
    delegate.readVectoredAvailable(allocator)

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(target: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0 else readSome(target, offset, length)

  override def read(buffer: ByteBuffer): Int = moved(delegate.read(buffer))

  override def readFully(bytes: Array[Byte]): Unit = readFully(bytes, 0, bytes.length)

  override def seek(to: Long): Unit = position = to

  override def getPos: Long = position

  override def skip(count: Long): Long = moved(delegate.skip(count))

  override def available(): Int = moved(delegate.available())

  override def close(): Unit = {
    requested.clear()
    byStart.clear()
    keptBytes = 0
    delegate.close()
  }

  /** Runs `read`, which reads from the wrapped stream, at the position of this stream. */
  private def moved[T](read: => T): T = {
    isUsed = true
    if (delegate.getPos != position) delegate.seek(position)
    val result = read
    position = delegate.getPos
    result
  }
}

private object AheadStream {

  /** The greatest number of bytes that are kept, beside those of the last request. */
  private final val MaxKept = 32L << 20

  /**
   * The greatest size of a range that is requested ahead and kept. For longer ranges, the time of a
   * request of their own is a small part of the time of their transfer.
   */
  private final val MaxPart = 16L << 20

  private final val TimeoutSeconds = 300L

  private val Allocator = HeapByteBufferAllocator.getInstance

  private def rangeOf(range: ParquetFileRange): ByteRange =
    ByteRange(range.getOffset, range.getOffset + range.getLength)

  /** Holds a range that has been requested. */
  private final class Part(val bytes: ByteRange) {
    val range = new ParquetFileRange(bytes.start, bytes.size.toInt)

    def start: Long = bytes.start
    def size: Int = bytes.size.toInt
    def has(position: Long): Boolean = position >= bytes.start && position < bytes.end
    def contains(other: ByteRange): Boolean =
      other.start >= bytes.start && other.end <= bytes.end
  }
}
