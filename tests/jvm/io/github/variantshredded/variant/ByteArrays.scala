package io.github.variantshredded.variant

/** Byte arrays, written as their values. */
object ByteArrays {
  def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray
}
