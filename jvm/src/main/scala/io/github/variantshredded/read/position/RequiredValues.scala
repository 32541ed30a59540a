package io.github.variantshredded.read.position

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.rebuild.ValuePath

/**
 * Refuses the elements of an array that have no value, as Spark's reader does.
 *
 * @param reader
 *   reads the elements
 */
private[read] final class RequiredValues(reader: PositionReader, errors: LocatedErrors) {
  private val element: PositionVectors = reader.position

  /** Starts a batch of `slots` elements. */
  def startBatch(slots: Int): Unit = element.startBatch(slots)

  /**
   * Checks the element in `slot`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if it has no value
   */
  def check(slot: Int): Unit = if (!reader.hasValue(slot) && !reader.hasTypedValue(slot)) {
    errors.located {
      throw VariantShreddedErrors.malformedVariant(
        ValuePath.MissingValue,
        ErrorLocation(path = Some(element.position.path))
      )
    }
  }
}
