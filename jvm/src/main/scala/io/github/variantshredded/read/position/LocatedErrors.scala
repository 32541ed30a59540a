package io.github.variantshredded.read.position

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.options.FileContext

/** Adds file, row group and column to the errors of an extraction. */
private[read] final class LocatedErrors(column: String, context: FileContext) {
  def located[T](body: => T): T =
    try body
    catch {
      case e: VariantShreddedException => throw e.at(context.location(column))
    }
}
