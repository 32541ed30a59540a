package io.github.variantshredded.read.pages

import java.io.IOException
import java.nio.ByteBuffer

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor
import org.apache.parquet.hadoop.metadata.CompressionCodecName.SNAPPY
import org.xerial.snappy.Snappy

/**
 * Decompresses Snappy pages from array to array. Hadoop's stream, which uses the same library,
 * copies them to memory outside of the heap and back.
 *
 * The library writes as many bytes as the page itself claims to hold, even beyond the end of its
 * target, and Hadoop's stream allocates memory for this claim. So a page is refused before if it
 * claims fewer bytes than its header, or more than its compressed bytes can yield.
 *
 * @param delegate
 *   decompresses pages that hold more bytes than their header claims
 */
private[read] final class SnappyPages(delegate: BytesInputDecompressor)
    extends BytesInputDecompressor {

  override def decompress(bytes: BytesInput, decompressedSize: Int): BytesInput = {
    val in = bytes.toInputStream
    val page = inArray(in.slice(in.available))
    if (page.hasRemaining && checkedSize(page, decompressedSize) == decompressedSize) {
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

  private def inArray(page: ByteBuffer): ByteBuffer =
    if (page.hasArray) page
    else ByteBuffer.allocate(page.remaining).put(page).flip()

  /** Returns the number of bytes that a page holds according to its own beginning. */
  private def checkedSize(page: ByteBuffer, decompressedSize: Int): Long = {
    // The library returns an unsigned number.
    val held = Integer.toUnsignedLong(
      Snappy.uncompressedLength(page.array, page.arrayOffset + page.position(), page.remaining)
    )
    if (
      held < decompressedSize || held > Int.MaxValue ||
      !BoundedDecompressor.isPossible(SNAPPY, page.remaining.toLong, held)
    ) {
      throw new IOException(
        s"A Snappy page holds $held bytes, but its header claims $decompressedSize bytes."
      )
    }
    held
  }

  override def decompress(
      input: ByteBuffer,
      compressedSize: Int,
      output: ByteBuffer,
      decompressedSize: Int
  ): Unit = {
    val page = input.slice().limit(compressedSize)
    val result = decompress(BytesInput.from(page), decompressedSize).toInputStream
    output.put(result.slice(result.available))
    input.position(input.position() + compressedSize)
  }

  override def release(): Unit = delegate.release()
}
