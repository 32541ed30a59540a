package io.github.variantshredded.read.pages

import java.nio.ByteBuffer

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor
import org.xerial.snappy.Snappy

/**
 * Decompresses Snappy pages from array to array. Hadoop's stream, which uses the same library,
 * copies them to memory outside of the heap and back.
 *
 * @param delegate
 *   decompresses pages that are not in one array, or whose size differs from their header
 */
private[read] final class SnappyPages(delegate: BytesInputDecompressor)
    extends BytesInputDecompressor {

  override def decompress(bytes: BytesInput, decompressedSize: Int): BytesInput = {
    val in = bytes.toInputStream
    val page = in.slice(in.available)
    if (page.hasArray && holds(page, decompressedSize)) {
      val result = new Array[Byte](decompressedSize)
      Snappy.rawUncompress(
        page.array,
        page.arrayOffset + page.position(),
        page.remaining,
        result,
        0
      )
      BytesInput.from(result)
    } else delegate.decompress(BytesInput.from(page), decompressedSize)
  }

  // The library writes as many bytes as the page itself claims, even beyond the end of the array.
  private def holds(page: ByteBuffer, size: Int): Boolean = {
    val start = page.arrayOffset + page.position()
    page.hasRemaining && Snappy.uncompressedLength(page.array, start, page.remaining) == size
  }

  override def decompress(
      input: ByteBuffer,
      compressedSize: Int,
      output: ByteBuffer,
      decompressedSize: Int
  ): Unit = delegate.decompress(input, compressedSize, output, decompressedSize)

  override def release(): Unit = delegate.release()
}
