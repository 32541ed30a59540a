package io.github.variantshredded.read.pages

import java.nio.file.Files

import org.apache.parquet.io.{DelegatingSeekableInputStream, LocalInputFile, SeekableInputStream}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

class FileBytesSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val path = Files.createTempFile("bytes", ".bin")
  private val size = 5 << 20
  Files.write(path, Array.tabulate(size)(i => (i * 31 >> 3).toByte))
  private lazy val stream: SeekableInputStream = new LocalInputFile(path).newStream()

  override protected def afterAll(): Unit =
    try {
      stream.close()
      Files.delete(path)
    } finally super.afterAll()

  /** Counts the bytes that are read from the file. */
  private final class CountedStream extends DelegatingSeekableInputStream(stream) {
    var bytesRead = 0L
    override def getPos: Long = stream.getPos
    override def seek(pos: Long): Unit = stream.seek(pos)
    override def readFully(bytes: Array[Byte]): Unit = {
      stream.readFully(bytes)
      bytesRead += bytes.length
    }
  }

  private def expected(from: Int, count: Int) =
    Array.tabulate(count)(i => ((from + i) * 31 >> 3).toByte).toSeq

  test("bytes that the file has, up to a limit") {
    val bytes = new FileBytes(stream, size.toLong)
    assert(bytes.read(10, 20, 20).map(_.toSeq) === Some(expected(10, 20)))
    assert(bytes.read(size - 5L, 5, 20).map(_.toSeq) === Some(expected(size - 5, 5)))
    assert(bytes.readUpTo(size - 5L, 9).map(_.toSeq) === Some(expected(size - 5, 5)))
    assert(bytes.readUpTo(3, 9).map(_.toSeq) === Some(expected(3, 9)))
    Seq[(Long, Long)]((10, 21), (10, 0), (10, -1), (-1, 5), (size - 4L, 5), (Long.MaxValue, 5))
      .foreach { case (offset, count) =>
        assert(bytes.read(offset, count, 20) === None)
      }
    assert(bytes.readUpTo(size.toLong, 9) === None && bytes.readUpTo(Long.MaxValue, 9) === None)
    assert(bytes.read(0, Long.MaxValue, Int.MaxValue) === None)
  }

  test("nothing of a file without a length") {
    assert(new FileBytes(stream, 0).read(0, 1, 20) === None)
    assert(new FileBytes(stream, 0).readUpTo(0, 1) === None)
  }

  test("what was read lately is not read again") {
    val counted = new CountedStream
    val bytes = new FileBytes(counted, size.toLong)
    def read(from: Int, count: Int): Unit =
      assert(
        bytes.read(from.toLong, count.toLong, 1 << 30).map(_.toSeq) === Some(expected(from, count))
      )
    read(0, 100)
    read(50, 100)
    read(0, 100)
    assert(counted.bytesRead === 200)
    // So much that the first is forgotten.
    (0 until 3).foreach(i => read(i * 1000000, 1000000))
    read(2000000, 1000000)
    assert(counted.bytesRead === 3000200)
    read(0, 100)
    assert(counted.bytesRead === 3000300)
    // Too large to be kept.
    read(0, 3 << 20)
    read(0, 3 << 20)
    assert(counted.bytesRead === 3000300 + (6 << 20))
    read(0, 100)
    assert(counted.bytesRead === 3000300 + (6 << 20))
  }
}
