package io.github.variantshredded.read.pages

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import net.jpountz.lz4.{LZ4Exception, LZ4Factory}
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor

/**
 * Decompresses pages in the deprecated codec `LZ4`, which stores Hadoop's frames: blocks, each with
 * its decompressed size and a sequence of parts, and each part with its compressed size. Hadoop's
 * own decompressor is not used because it allocates memory for every size that a page claims.
 *
 * @param delegate
 *   decompresses direct buffers
 */
private[read] final class Lz4Pages(delegate: BytesInputDecompressor)
    extends BytesInputDecompressor {

  private val lz4 = LZ4Factory.fastestInstance.safeDecompressor

  override def decompress(bytes: BytesInput, decompressedSize: Int): BytesInput = {
    val in = bytes.toInputStream
    val page = in.slice(in.available)
    val result = ByteBuffer.allocate(decompressedSize)
    while (result.hasRemaining) {
      val end = result.position() + size(page, result.remaining, "block")
      while (result.position() < end) {
        val part = size(page, math.max(0, page.remaining - 4), "part")
        val written = decompressPart(page, part, result, end - result.position())
        page.position(page.position() + part)
        result.position(result.position() + written)
      }
    }
    BytesInput.from(result.flip())
  }

  private def size(page: ByteBuffer, most: Int, what: String): Int = {
    val claimed = if (page.remaining < 4) 0 else page.getInt()
    if (claimed <= 0 || claimed > most)
      throw corrupt(s"A $what in LZ4 claims $claimed bytes, at most $most can be there.")
    claimed
  }

  private def decompressPart(page: ByteBuffer, size: Int, result: ByteBuffer, most: Int): Int =
    try {
      val written =
        lz4.decompress(page, page.position(), size, result, result.position(), most)
      if (written == 0) throw corrupt("A part in LZ4 is empty.")
      written
    } catch {
      case e: LZ4Exception =>
        throw corrupt(s"A part in LZ4 cannot be decompressed: ${e.getMessage}.")
    }

  private def corrupt(reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, ErrorLocation())

  override def decompress(
      input: ByteBuffer,
      compressedSize: Int,
      output: ByteBuffer,
      decompressedSize: Int
  ): Unit = delegate.decompress(input, compressedSize, output, decompressedSize)

  override def release(): Unit = delegate.release()
}
