package io.github.variantshredded.read.pages

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.pages.check.DeltaLengths
import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.scalatest.funsuite.AnyFunSuite

/** Delta-encoded byte arrays that are converted to plain encoding, and which pages are. */
class DeltaPagesSuite extends AnyFunSuite {

  private val levels = Array[Byte](2, 1, 0)

  private val texts = (0 until 1000).map(i => "x" * (i % 7) + i)

  private def page(writer: ValuesWriter): ByteBuffer = {
    texts.foreach(text => writer.writeBytes(Binary.fromString(text)))
    val out = new ByteArrayOutputStream
    out.write(levels)
    writer.getBytes.writeAllTo(out)
    ByteBuffer.wrap(out.toByteArray)
  }

  private def plain(page: ByteBuffer, encoding: Encoding): (Seq[Byte], Seq[String]) = {
    val converted = DeltaPages.toPlain(page, levels.length, encoding, BINARY, -1)
    val kept = new Array[Byte](levels.length)
    converted.order(ByteOrder.LITTLE_ENDIAN).get(kept)
    val found = Iterator
      .continually(converted)
      .takeWhile(_.hasRemaining)
      .map { rest =>
        val bytes = new Array[Byte](rest.getInt())
        rest.get(bytes)
        new String(bytes)
      }
      .toSeq
    (kept.toSeq, found)
  }

  private def allocator = HeapByteBufferAllocator.getInstance

  test("DELTA_BYTE_ARRAY") {
    val encoded = page(new DeltaByteArrayWriter(1024, 1 << 20, allocator))
    assert(plain(encoded, Encoding.DELTA_BYTE_ARRAY) === (levels.toSeq -> texts))
  }

  test("DELTA_LENGTH_BYTE_ARRAY") {
    val encoded = page(new DeltaLengthByteArrayValuesWriter(1024, 1 << 20, allocator))
    assert(plain(encoded, Encoding.DELTA_LENGTH_BYTE_ARRAY) === (levels.toSeq -> texts))
    assert(DeltaPages.countOf(encoded.duplicate().position(levels.length)) === texts.size)
  }

  test("only pages of many nulls and few values are converted") {
    assert(DeltaLengths.isSparse(0, 1 << 27) && DeltaLengths.isSparse(1 << 20, 1 << 22))
    assert(!DeltaLengths.isSparse(0, 1 << 20))
    assert(!DeltaLengths.isSparse((1 << 20) + 1, 1 << 24))
    assert(!DeltaLengths.isSparse(1 << 20, 1 << 21), "half of the values are not null")
  }

  test("a page with too many values for Spark's decoder is refused") {
    DeltaLengths.check(1 << 24)
    val e = intercept[VariantShreddedException](DeltaLengths.check((1 << 24) + 1))
    assert(e.condition === "UNSUPPORTED_PARQUET_FILE")
  }
}
