package io.github.variantshredded.read.pages

import java.nio.{ByteBuffer, ByteOrder}

/**
 * Converts pages in the encoding BYTE_STREAM_SPLIT, which Spark's decoders do not support in all
 * versions, to plain encoding.
 */
private[read] object StreamSplit {

  /**
   * Returns a copy of a page with its values in plain encoding. Bytes before the values, such as
   * levels, stay the same.
   *
   * @param page
   *   the page, from the buffer's position to its limit; not changed
   * @param values
   *   the index in `page` where the values begin: first the first bytes of all values, then the
   *   second bytes, and so on
   * @param width
   *   bytes per value; the length of the values must be a multiple of it
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
