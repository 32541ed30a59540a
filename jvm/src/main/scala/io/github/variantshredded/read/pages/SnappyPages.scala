package io.github.variantshredded.read.pages

import java.io.IOException
import java.nio.ByteBuffer

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor
import org.xerial.snappy.Snappy

/**
 * Decompresses Snappy pages from array to array. Hadoop's stream, which uses the same library,
 * copies them to memory outside of the heap and back. A page that holds fewer bytes than its header
 * claims is refused before memory is allocated.
 *
 * @param delegate
 *   decompresses pages that are not in one array, or whose size differs from their header
 */
private[read] final class SnappyPages(delegate: BytesInputDecompressor)
    extends BytesInputDecompressor {

  override def decompress(bytes: BytesInput, decompressedSize: Int): BytesInput = {
    val in = bytes.toInputStream
    val page = in.slice(in.available)
    val held = if (page.hasArray && page.hasRemaining) sizeOf(page) else -1
    if (held >= 0 && held < decompressedSize) {
      throw new IOException(
        s"A Snappy page holds $held bytes, but its header claims $decompressedSize bytes."
      )
    }
    // The library writes as many bytes as the page itself claims, even beyond the end of the array.
    if (held >= 0 && held == decompressedSize) {
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

  /** Returns the number of bytes that a page holds according to its own beginning. */
  private def sizeOf(page: ByteBuffer): Int =
    Snappy.uncompressedLength(page.array, page.arrayOffset + page.position(), page.remaining)

  override def decompress(
      input: ByteBuffer,
      compressedSize: Int,
      output: ByteBuffer,
      decompressedSize: Int
  ): Unit = delegate.decompress(input, compressedSize, output, decompressedSize)

  override def release(): Unit = delegate.release()
}
