package io.github.variantshredded.read.skip

/** Says which values an operand can have in some rows. */
private[skip] sealed trait PossibleValues

private[skip] object PossibleValues {

  /** The operand can be any value or null, and computing it may raise an error. */
  case object Anything extends PossibleValues

  /**
   * The operand has values within bounds, and computing it raises no error.
   *
   * @param hasValue
   *   whether there may be values other than null
   * @param hasNull
   *   whether there may be nulls
   * @param bounds
   *   bounds of the values other than null; None if unknown
   */
  final case class Within(hasValue: Boolean, hasNull: Boolean, bounds: Option[Bounds])
      extends PossibleValues

  /** The operand is null in every row. */
  val OnlyNull: PossibleValues = Within(hasValue = false, hasNull = true, None)

  /** The operand is not null in any row. Nothing else is known. */
  val NotNull: PossibleValues = Within(hasValue = true, hasNull = false, None)

  /** Returns the values of an operand that is `value` in every row. */
  def only(value: Any): PossibleValues =
    Within(hasValue = true, hasNull = false, Some(Bounds(value, value, exact = true)))
}
