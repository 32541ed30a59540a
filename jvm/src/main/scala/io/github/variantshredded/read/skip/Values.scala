package io.github.variantshredded.read.skip

/** What an operand can be in some rows. */
private[skip] sealed trait Values

private[skip] object Values {

  /** Any value or null; to compute it may raise. */
  case object Anything extends Values

  /**
   * @param hasValue
   *   whether there may be others than nulls
   * @param hasNull
   *   whether there may be nulls
   * @param bounds
   *   of the others; None if unknown
   */
  final case class Within(hasValue: Boolean, hasNull: Boolean, bounds: Option[Bounds])
      extends Values

  /** Null in every row. */
  val OnlyNull: Values = Within(hasValue = false, hasNull = true, None)

  /** Not null, and nothing else is known. */
  val NotNull: Values = Within(hasValue = true, hasNull = false, None)

  /** The one value, in every row. */
  def only(value: Any): Values =
    Within(hasValue = true, hasNull = false, Some(Bounds(value, value, exact = true)))
}
