package io.github.variantshredded.read.options

import java.nio.{ByteBuffer, ByteOrder}

/** Values in the encoding BYTE_STREAM_SPLIT, which the decoders of older Sparks do not know. */
private[read] object StreamSplit {

  /**
   * The same bytes with values encoded plainly.
   *
   * @param page
   *   from its position to its limit; left as it is
   * @param values
   *   the place in `page` where values begin: first the first bytes of all, then the second ones
   * @param width
   *   bytes of a value; a divisor of the bytes of all
   */
  def toPlain(page: ByteBuffer, values: Int, width: Int): ByteBuffer = {
    val plain = ByteBuffer.allocate(page.remaining).order(ByteOrder.LITTLE_ENDIAN)
    plain.put(page.duplicate().limit(values))
    val start = plain.position()
    val count = (page.limit() - values) / width
    var stream = 0
    while (stream < width) {
      val from = values + stream * count
      val to = start + stream
      var i = 0
      while (i < count) {
        plain.put(to + i * width, page.get(from + i))
        i += 1
      }
      stream += 1
    }
    plain.rewind()
  }
}
