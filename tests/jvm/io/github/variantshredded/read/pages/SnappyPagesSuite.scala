package io.github.variantshredded.read.pages

import java.io.IOException
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.scalatest.funsuite.AnyFunSuite
import org.xerial.snappy.Snappy

/** Snappy pages, wherever their bytes lie. */
class SnappyPagesSuite extends AnyFunSuite {
  private val hadoop =
    new CodecFactory(new Configuration(false), 0).getDecompressor(CompressionCodecName.SNAPPY)
  private val pages = new SnappyPages(hadoop)

  private val plain = Array.tabulate(5000)(i => (i % 7).toByte)
  private val compressed = Snappy.compress(plain)

  private def within(bytes: Array[Byte], make: Int => ByteBuffer): ByteBuffer = {
    val buffer = make(bytes.length + 10)
    buffer.position(3)
    buffer.put(bytes)
    buffer.position(3).limit(3 + bytes.length)
  }

  test("in an array, in part of one, outside of the heap, in parts") {
    val half = compressed.length / 2
    val parts = Seq(compressed.take(half), compressed.drop(half)).map(ByteBuffer.wrap)
    Seq(
      BytesInput.from(compressed),
      BytesInput.from(within(compressed, ByteBuffer.allocate)),
      BytesInput.from(within(compressed, n => ByteBuffer.allocate(n).slice())),
      BytesInput.from(within(compressed, ByteBuffer.allocateDirect)),
      BytesInput.from(within(compressed, ByteBuffer.allocate).asReadOnlyBuffer),
      BytesInput.from(parts.asJava)
    ).foreach(page =>
      assert(pages.decompress(page, plain.length).toInputStream.readAllBytes === plain)
    )
  }

  test("a page that holds not what is claimed is never written beyond its room") {
    Seq(plain.length - 1, plain.length + 1, 1, 100000).foreach { claimed =>
      def result(decompress: BytesInput => BytesInput) =
        try Right(decompress(BytesInput.from(compressed)).toInputStream.readAllBytes.toSeq)
        catch { case e: IOException => Left(e.getClass.getName) }
      val expected = result(hadoop.decompress(_, claimed))
      assert(result(pages.decompress(_, claimed)) === expected)
    }
  }

  test("a page that holds fewer bytes than claimed takes no memory for the claim") {
    val error = intercept[IOException](pages.decompress(BytesInput.from(compressed), Int.MaxValue))
    assert(
      error.getMessage === s"A Snappy page holds ${plain.length} bytes, but its header claims " +
        s"${Int.MaxValue} bytes."
    )
  }

  test("a page that claims more than its bytes can hold is refused, wherever it lies") {
    for {
      claim <- Seq(1L << 30, Int.MaxValue.toLong, 1L << 31, (1L << 31) + plain.length, 0xffffffffL)
      size <- Seq(plain.length, plain.length - 1, 0)
      page = claiming(claim)
      bytes <- Seq(
        BytesInput.from(page),
        BytesInput.from(within(page, ByteBuffer.allocateDirect)),
        BytesInput.from(within(page, ByteBuffer.allocate).asReadOnlyBuffer)
      )
    } {
      val message = s"A Snappy page holds $claim bytes, but its header claims $size bytes."
      assert(intercept[IOException](pages.decompress(bytes, size)).getMessage === message)
      val error = intercept[IOException](
        pages.decompress(
          within(page, ByteBuffer.allocateDirect),
          page.length,
          ByteBuffer.allocateDirect(size),
          size
        )
      )
      assert(error.getMessage === message)
    }
  }

  /** Returns the page with another claim of how many bytes it holds. */
  private def claiming(size: Long): Array[Byte] = {
    val groups = Iterator.iterate(size)(_ >>> 7).takeWhile(_ > 0).map(_ & 0x7f).toVector
    val preamble = groups.init.map(group => (group | 0x80).toByte) :+ groups.last.toByte
    // The claim of the page itself takes two bytes.
    preamble.toArray ++ compressed.drop(2)
  }

  test("from buffer to buffer, wherever they lie") {
    for (make <- Seq[Int => ByteBuffer](ByteBuffer.allocate, ByteBuffer.allocateDirect)) {
      val input = within(compressed, make)
      val output = make(plain.length)
      pages.decompress(input, compressed.length, output, plain.length)
      assert(!input.hasRemaining)
      val found = new Array[Byte](plain.length)
      output.flip().get(found)
      assert(found === plain)
    }
  }

  test("broken pages are refused") {
    (1 until compressed.length).foreach { length =>
      intercept[IOException](
        pages
          .decompress(BytesInput.from(compressed.take(length)), plain.length)
          .toInputStream
          .readAllBytes
      )
    }
  }
}
