package io.github.variantshredded.variant.encode

import java.util.Arrays

import io.github.variantshredded.variant.{ContainerHeader, LittleEndian}
import io.github.variantshredded.variant.VariantConstants._

/**
 * Builds an object from fields that are already encoded, such as the residual value of a shredded
 * object. The fields keep their ids, so the object uses the metadata dictionary of the row.
 *
 * An instance is reused by `reset`, and allocates nothing per field.
 */
final class ResidualObjectWriter {

  private var ids = new Array[Int](32)
  private var sources = new Array[Array[Byte]](32)
  // Position in the upper, length in the lower 32 bits.
  private var slices = new Array[Long](32)
  private var count = 0
  private var data = 0L
  private var maxId = 0

  def reset(): Unit = {
    count = 0
    data = 0
    maxId = 0
  }

  def numFields: Int = count

  /**
   * Adds a field. Fields have to be added in the order of `KeyOrder`, each name once.
   *
   * The bytes are not copied before the object is written.
   */
  def add(fieldId: Int, source: Array[Byte], pos: Int, length: Int): Unit = {
    if (count == ids.length) {
      ids = Arrays.copyOf(ids, count * 2)
      sources = Arrays.copyOf(sources, count * 2)
      slices = Arrays.copyOf(slices, count * 2)
    }
    ids(count) = fieldId
    sources(count) = source
    slices(count) = (pos.toLong << 32) | length
    count += 1
    data += length
    maxId = math.max(maxId, fieldId)
  }

  /** Returns the number of bytes that the object will take. */
  def encodedSize: Long =
    ContainerHeader.size(count, LittleEndian.width(maxId), offsetWidth) + data

  /**
   * Writes the object as the next value of `encoder`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `VARIANT_SIZE_LIMIT` if the encoder's value becomes larger than its limit
   */
  def writeTo(encoder: VariantEncoder): Unit = {
    val idWidth = LittleEndian.width(maxId)
    val offsetWidth = this.offsetWidth
    val start = encoder.reserve(encodedSize)
    val out = encoder.buffer
    val idsAt = ContainerHeader.write(out, start, BasicObject, count, idWidth, offsetWidth)
    val offsetsAt = idsAt + count * idWidth
    val dataAt = offsetsAt + (count + 1) * offsetWidth
    var offset = 0
    var i = 0
    while (i < count) {
      val length = slices(i).toInt
      LittleEndian.putUnsigned(out, idsAt + i * idWidth, ids(i), idWidth)
      LittleEndian.putUnsigned(out, offsetsAt + i * offsetWidth, offset, offsetWidth)
      System.arraycopy(sources(i), (slices(i) >>> 32).toInt, out, dataAt + offset, length)
      offset += length
      i += 1
    }
    LittleEndian.putUnsigned(out, offsetsAt + count * offsetWidth, offset, offsetWidth)
    encoder.skipTo(dataAt + offset)
  }

  // The encoder refuses data beyond 2^31^ bytes, whatever width is computed here.
  private def offsetWidth: Int = LittleEndian.width(math.min(data, Int.MaxValue.toLong).toInt)
}
