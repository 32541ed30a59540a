package io.github.variantshredded.read.pages

import java.io.IOException
import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.concurrent.CompletableFuture

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.parquet.bytes.{ByteBufferAllocator, HeapByteBufferAllocator}
import org.apache.parquet.io.{DelegatingSeekableInputStream, ParquetFileRange}
import org.scalatest.funsuite.AnyFunSuite

/** What an object store is asked for, and when. */
class AheadStreamSuite extends AnyFunSuite {
  import AheadStreamSuite._

  private def range(start: Long, size: Int) = new ParquetFileRange(start, size)

  private def bytes(range: ParquetFileRange): Seq[Byte] = {
    val buffer = range.getDataReadFuture.get.duplicate()
    val array = new Array[Byte](buffer.remaining)
    buffer.get(array)
    array.toSeq
  }

  private def expected(range: ParquetFileRange): Seq[Byte] =
    Seq.tabulate(range.getLength)(i => byteAt(range.getOffset + i))

  private def read(stream: AheadStream, ranges: ParquetFileRange*): Unit = {
    stream.readVectored(ranges.asJava, HeapByteBufferAllocator.getInstance)
    ranges.foreach(range => assert(bytes(range) == expected(range), range))
  }

  private val large = 17 << 20

  test("ranges that are too large to be kept are read at the same time") {
    val store = new Store
    val stream = new AheadStream(store)
    read(stream, range(0, 1000), range(2000, large), range(large + 5000L, large))
    assert(store.vectored === Seq(Seq(0 -> 1000), Seq(2000 -> large, large + 5000 -> large)))
    assert(store.plain === Nil)
  }

  test("ranges that touch and together are too large to be kept are read at the same time") {
    val store = new Store
    val half = 10 << 20
    read(new AheadStream(store), range(0, half), range(half.toLong, half))
    assert(store.vectored === Seq(Seq(0 -> half, half -> half)))
    assert(store.plain === Nil)
  }

  test("large ranges that overlap, or fail, are read one after the other") {
    val store = new Store
    read(new AheadStream(store), range(0, large), range(100, large))
    assert(store.vectored === Nil)
    assert(store.plain.nonEmpty)
    val failing = new Store(fails = true)
    read(new AheadStream(failing), range(0, large), range(large + 5000L, large))
    assert(failing.vectored.size === 1)
    assert(failing.plain.nonEmpty)
  }

  test("what was requested and is kept is not requested again; the oldest is dropped first") {
    val store = new Store
    val stream = new AheadStream(store)
    val size = 12 << 20
    def part(i: Int) = ByteRange(i * 20L << 20, (i * 20L << 20) + size)
    (0 to 2).foreach(i => stream.request(Seq(part(i))))
    assert(store.vectored.size === 3)
    stream.request(Seq(part(1), part(2)))
    assert(store.vectored.size === 3)
    stream.request(Seq(part(0)))
    assert(store.vectored.size === 4)
    stream.request(Seq(ByteRange(part(2).start - 10, part(2).start + 10)))
    assert(store.vectored.last === Seq(part(2).start.toInt - 10 -> 10))
  }

  test("tens of thousands of ranges are requested and read in linear time") {
    val store = new Store
    val stream = new AheadStream(store)
    val ranges = (0 until 100000).map(i => range(i * 100L, 50))
    read(stream, ranges: _*)
    assert(store.vectored.map(_.size) === Seq(ranges.size))
    stream.request(Seq(ByteRange(0, 100 * 100000L)))
    assert(store.vectored.map(_.size) === Seq(ranges.size, ranges.size))
    assert(store.plain === Nil)
  }

  test("reads at random positions beside random requests") {
    val rng = new Random(3)
    val stream = new AheadStream(new Store)
    (0 until 2000).foreach { _ =>
      val start = rng.nextInt(100000).toLong
      val size = 1 + rng.nextInt(3000)
      rng.nextInt(3) match {
        case 0 => stream.request(Seq(ByteRange(start, start + size)))
        case 1 => read(stream, range(start, size), range(start + size + rng.nextInt(9), size))
        case _ =>
          val target = new Array[Byte](size)
          stream.seek(start)
          stream.readFully(target)
          assert(target.toSeq == expected(range(start, size)))
          assert(stream.getPos === start + size)
      }
    }
  }
}

private object AheadStreamSuite {

  private def byteAt(position: Long): Byte = (position * 31 >> 3).toByte

  /** An object without an end, and what was read of it: as start and size. */
  private final class Store(fails: Boolean = false) extends DelegatingSeekableInputStream(null) {
    val vectored = mutable.Buffer.empty[Seq[(Int, Int)]]
    val plain = mutable.Buffer.empty[(Int, Int)]
    private var position = 0L

    override def getPos: Long = position
    override def seek(to: Long): Unit = position = to

    private def fill(start: Long, size: Int): Array[Byte] =
      Array.tabulate(size)(i => byteAt(start + i))

    override def read(target: Array[Byte], offset: Int, length: Int): Int = {
      plain += position.toInt -> length
      System.arraycopy(fill(position, length), 0, target, offset, length)
      position += length
      length
    }

    override def readFully(target: Array[Byte], offset: Int, length: Int): Unit = {
      val _ = read(target, offset, length)
    }

    override def readFully(target: Array[Byte]): Unit = readFully(target, 0, target.length)

    override def readFully(buffer: ByteBuffer): Unit = {
      val bytes = new Array[Byte](buffer.remaining)
      readFully(bytes)
      buffer.put(bytes): Unit
    }

    override def readVectoredAvailable(allocator: ByteBufferAllocator): Boolean = true

    override def readVectored(
        ranges: JList[ParquetFileRange],
        allocator: ByteBufferAllocator
    ): Unit = {
      vectored += ranges.asScala.toSeq.map(range => range.getOffset.toInt -> range.getLength)
      ranges.forEach { range =>
        range.setDataReadFuture(
          if (fails) CompletableFuture.failedFuture(new IOException("cut off"))
          else
            CompletableFuture.completedFuture(
              ByteBuffer.wrap(fill(range.getOffset, range.getLength))
            )
        )
      }
    }
  }
}
