package io.github.variantshredded.read.skip

/** Says which stored value gives an operand, or that none does. */
private[skip] sealed trait StoredLiteral

private[skip] object StoredLiteral {
  case object Nothing extends StoredLiteral

  /** The operand has this stored value: Int, Long or Array[Byte]. */
  final case class Is(stored: Any) extends StoredLiteral
}
