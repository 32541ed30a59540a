package io.github.variantshredded.read.skip

/**
 * The least and the greatest value, both included, as Catalyst has them and orders them: where NaN
 * may be, it is the greatest.
 *
 * @param exact
 *   whether `min` and `max` being equal means that every value is that one
 */
private[skip] final case class Bounds(min: Any, max: Any, exact: Boolean)
