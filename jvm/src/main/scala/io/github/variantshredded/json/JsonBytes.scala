package io.github.variantshredded.json

/** Finds the blanks between the JSON values of a text. */
private[json] object JsonBytes {

  def isSpace(byte: Byte): Boolean = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'

  def isBlank(bytes: scala.Array[Byte], from: Int, until: Int): Boolean =
    afterBlanks(bytes, from, until) >= until

  /** Returns the index of the first byte from `from` on that is not blank; `until` if all are. */
  def afterBlanks(bytes: scala.Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until && isSpace(bytes(i))) i += 1
    i
  }

  /** Returns the index after a byte order mark of UTF-8, which is 0 if there is none. */
  def afterMark(bytes: scala.Array[Byte], length: Int): Int =
    if (
      length >= 3 && bytes(0) == 0xef.toByte && bytes(1) == 0xbb.toByte && bytes(2) == 0xbf.toByte
    ) 3
    else 0
}
