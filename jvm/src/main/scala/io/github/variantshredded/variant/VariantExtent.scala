package io.github.variantshredded.variant

import io.github.variantshredded.variant.VariantConstants._

/**
 * Detects values whose decoding would read too many bytes. The bytes of a value are the first byte
 * of each value in it, and the bytes of its strings. A decoder that follows the offsets can read
 * more bytes than the value has only if parts of the value overlap, which is malformed. A few such
 * bytes can stand for more values than anybody can read.
 */
private[variantshredded] object VariantExtent {

  /**
   * Number of bytes that are always allowed, so that small values give the same result as in
   * Spark.
   */
  private final val Harmless = 1L << 14

  /** Returns the number of bytes that may be read. */
  def most(value: Array[Byte]): Long = math.max(value.length.toLong, Harmless)

  /** Returns whether decoding the value would read more bytes than [[most]] allows. */
  def isExceeded(value: Array[Byte]): Boolean = {
    val walk = new Walk(value, most(value))
    if (value.nonEmpty) walk.visit(0, DefaultMaxDepth)
    walk.left < 0
  }

  /** Counts the bytes, and ignores all other faults, which the decoder reports. */
  private final class Walk(value: Array[Byte], var left: Long) {

    def visit(pos: Int, depthLeft: Int): Unit = {
      left -= 1
      val header = value(pos) & 0xff
      ValueHeader.basicType(header) match {
        case BasicShortString => string(pos + 1, ValueHeader.info(header))
        case BasicPrimitive   =>
          if (ValueHeader.info(header) == LongString && value.length - pos >= 5)
            string(pos + 5, LittleEndian.getInt(value, pos + 1))
        case _ if depthLeft == 0 => ()
        case _                   => children(pos, header, depthLeft - 1)
      }
    }

    private def string(start: Int, length: Int): Unit =
      if (length >= 0 && length <= value.length - start) left -= length

    private def children(pos: Int, header: Int, depthLeft: Int): Unit = {
      val count = ContainerHeader.count(value, pos, value.length, header)
      val width = ContainerHeader.offsetWidth(header)
      val offsetsAt =
        ContainerHeader.listsStart(pos, header) + count * ContainerHeader.idWidth(header)
      val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
      var i = 0
      while (i < count && left >= 0) {
        val child = dataPos + LittleEndian.getUnsigned(value, offsetsAt + i * width, width)
        if (child < value.length) visit(child.toInt, depthLeft)
        i += 1
      }
    }
  }
}
