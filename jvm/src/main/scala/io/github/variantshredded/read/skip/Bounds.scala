package io.github.variantshredded.read.skip

/**
 * Holds the minimum and maximum, both inclusive, as Catalyst values in Catalyst's order. If NaN is
 * possible, it is the maximum.
 *
 * @param exact
 *   whether equal `min` and `max` mean that all values are equal to them
 */
private[skip] final case class Bounds(min: Any, max: Any, exact: Boolean)
