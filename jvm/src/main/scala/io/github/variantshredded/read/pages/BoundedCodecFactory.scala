package io.github.variantshredded.read.pages

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.compression.CompressionCodecFactory.{
  BytesInputCompressor,
  BytesInputDecompressor
}
import org.apache.parquet.hadoop.BadConfigurationException
import org.apache.parquet.hadoop.metadata.CompressionCodecName

/**
 * Creates decompressors that refuse a page whose header claims more bytes than its compressed bytes
 * can yield with their codec, or other bytes than it has if it is not compressed. The check comes
 * before memory is allocated.
 */
private[read] final class BoundedCodecFactory(delegate: CompressionCodecFactory)
    extends CompressionCodecFactory {

  override def getCompressor(codec: CompressionCodecName): BytesInputCompressor =
    delegate.getCompressor(codec)

  /**
   * Returns a decompressor for `codec`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_PARQUET_FILE` if no library for the codec is available
   */
  override def getDecompressor(codec: CompressionCodecName): BytesInputDecompressor =
    try {
      val decompressor = delegate.getDecompressor(codec)
      val own = codec match {
        case CompressionCodecName.SNAPPY => new SnappyPages(decompressor)
        case CompressionCodecName.LZ4    => new Lz4Pages(decompressor)
        case _                           => decompressor
      }
      new BoundedDecompressor(own, codec)
    } catch {
      case e: BadConfigurationException =>
        throw VariantShreddedErrors.unreadableFile(
          s"There is no library for the codec $codec.",
          ErrorLocation(),
          e
        )
    }

  override def release(): Unit = delegate.release()
}

/** Refuses a page if its compressed bytes cannot yield as many bytes as its header claims. */
private final class BoundedDecompressor(
    delegate: BytesInputDecompressor,
    codec: CompressionCodecName
) extends BytesInputDecompressor {
  import BoundedDecompressor._

  override def decompress(bytes: BytesInput, decompressedSize: Int): BytesInput = {
    check(bytes.size, decompressedSize)
    delegate.decompress(bytes, decompressedSize)
  }

  override def decompress(
      input: ByteBuffer,
      compressedSize: Int,
      output: ByteBuffer,
      decompressedSize: Int
  ): Unit = {
    check(compressedSize.toLong, decompressedSize)
    delegate.decompress(input, compressedSize, output, decompressedSize)
  }

  override def release(): Unit = delegate.release()

  private def check(compressed: Long, decompressed: Int): Unit =
    if (!isPossible(codec, compressed, decompressed.toLong)) {
      throw VariantShreddedErrors.corruptFile(
        s"A page of $compressed bytes claims to hold $decompressed bytes.",
        ErrorLocation()
      )
    }
}

private object BoundedDecompressor {
  private final val AlwaysAllowed = 16 * 1024 * 1024

  /** Returns whether `compressed` bytes can yield `decompressed` bytes with a codec. */
  def isPossible(codec: CompressionCodecName, compressed: Long, decompressed: Long): Boolean =
    if (codec == CompressionCodecName.UNCOMPRESSED) decompressed == compressed
    else {
      decompressed >= 0 &&
      (decompressed <= AlwaysAllowed || decompressed / maxRatioOf(codec) <= compressed)
    }

  /**
   * Returns the maximum ratio of decompressed to compressed bytes. Snappy copies up to 64 bytes by
   * three, and LZ4 up to 255 bytes by each byte of a length. Deflate repeats 258 bytes by two bits.
   * Zstandard can store a run of 128 KiB in four bytes. (For codecs that need other libraries, this
   * greatest ratio is assumed.)
   */
  private def maxRatioOf(codec: CompressionCodecName): Int = codec match {
    case CompressionCodecName.SNAPPY                             => 22
    case CompressionCodecName.LZ4 | CompressionCodecName.LZ4_RAW => 255
    case CompressionCodecName.GZIP                               => 1032
    case _                                                       => 40000
  }
}
