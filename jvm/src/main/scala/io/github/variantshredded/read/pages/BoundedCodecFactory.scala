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
 * Refuses pages whose header claims more bytes than any codec could make of what is there, before
 * memory is taken for them.
 */
private[read] final class BoundedCodecFactory(delegate: CompressionCodecFactory)
    extends CompressionCodecFactory {

  override def getCompressor(codec: CompressionCodecName): BytesInputCompressor =
    delegate.getCompressor(codec)

  /**
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_PARQUET_FILE` for a codec that this Spark does not have
   */
  override def getDecompressor(codec: CompressionCodecName): BytesInputDecompressor =
    try {
      val decompressor = delegate.getDecompressor(codec)
      new BoundedDecompressor(codec match {
        case CompressionCodecName.SNAPPY => new SnappyPages(decompressor)
        case CompressionCodecName.LZ4    => new Lz4Pages(decompressor)
        case _                           => decompressor
      })
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

private final class BoundedDecompressor(delegate: BytesInputDecompressor)
    extends BytesInputDecompressor {
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
    if (
      decompressed < 0 || (decompressed > AlwaysAllowed && decompressed / MaxRatio > compressed)
    ) {
      throw VariantShreddedErrors.corruptFile(
        s"A page of $compressed bytes claims to hold $decompressed bytes.",
        ErrorLocation()
      )
    }
}

private object BoundedDecompressor {
  private final val AlwaysAllowed = 16 * 1024 * 1024

  /** Zstandard stores a run of 128 KiB in four bytes; no other codec comes near. */
  private final val MaxRatio = 40000
}
