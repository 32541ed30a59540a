package io.github.variantshredded.read.position

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.{ListVectors, PositionVectors}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.ValuePath
import io.github.variantshredded.shredding.layout.Layout

/**
 * Handles elements of an array whose group is null: an error in strict mode, counted in permissive
 * mode.
 */
private[read] final class ElementGroups private (
    list: ListVectors,
    errors: LocatedErrors,
    context: FileContext
) {

  /**
   * Checks the element in `slot`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_SHREDDED_VARIANT` in strict mode, if its group is null
   */
  def check(slot: Int): Unit = if (list.elementGroup.isNullAt(slot)) {
    if (context.strict) {
      errors.located {
        throw VariantShreddedErrors.invalidShreddedValue(
          ValuePath.NullElement,
          ErrorLocation(path = Some(list.element.position.path))
        )
      }
    }
    context.metrics.violationsTolerated += 1
  }
}

private[read] object ElementGroups {

  /** Returns the check of the elements of an array; None if none of them can break the rule. */
  def of(
      node: PositionVectors,
      list: ListVectors,
      errors: LocatedErrors,
      context: FileContext
  ): Option[ElementGroups] = {
    val mayBeNull = list.elementGroup != null && node.position.layout == Layout.Spec
    Option.when(mayBeNull && !context.asSpark)(new ElementGroups(list, errors, context))
  }
}
