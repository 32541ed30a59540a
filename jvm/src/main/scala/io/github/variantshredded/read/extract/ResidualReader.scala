package io.github.variantshredded.read.extract

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.decode.{BinarySlice, PositionVectors}
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.read.rebuild.{MetadataPlan, RowMetadata, ValuePlace}
import io.github.variantshredded.variant.{VariantConstants, VariantValidator}

/** Reads the `value` of one position, checked as everything that goes to Spark's own code. */
private[read] final class ResidualReader(
    position: PositionVectors,
    metadata: RowMetadata,
    context: VariantContext
) {
  private val slice = new BinarySlice
  private val validator = new VariantValidator
  private val layout = position.position.layout

  /** Dictionary of the value that was read last. */
  var plan: MetadataPlan = _

  def bytes: Array[Byte] = slice.bytes
  def start: Int = slice.start
  def end: Int = slice.end

  /**
   * Reads the `value` in a slot where it is non-null.
   *
   * @param row
   *   the row that the slot belongs to
   */
  def read(slot: Int, row: Int): Unit = {
    slice.read(position.value, slot)
    context.metrics.residualValuesRead += 1
    try {
      plan = metadata.ofResidual(slice, row)
      if (!context.strict && slice.cutToValue()) context.metrics.violationsTolerated += 1
      validator.check(slice.bytes, slice.start, slice.end, plan.dictionary, context.maxDepth)
    } catch {
      case e: VariantShreddedException =>
        throw ValuePlace.within(position, position.position.path, e)
    }
  }

  /** Checks a `value` that was read at a position that is shredded as an array. */
  def checkAlone(): Unit = if (context.strict && position.list != null) {
    if ((slice.bytes(slice.start) & 3) == VariantConstants.BasicArray) {
      throw invalid(
        s"'${layout.value}' holds an array, which is to be in '${layout.array}'."
      )
    }
  }

  /** What is to be done where both `value` and a primitive `typed_value` are non-null. */
  def conflict(): Unit = {
    if (context.strict) {
      throw invalid(
        s"Both '${layout.value}' and '${layout.primitive}' (a primitive) are non-null."
      )
    }
    context.metrics.violationsTolerated += 1
  }

  private def invalid(reason: String): VariantShreddedException =
    VariantShreddedErrors
      .invalidShreddedValue(reason, ErrorLocation(path = Some(position.position.path)))
}
