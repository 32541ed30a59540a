package io.github.variantshredded.read.position

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.{ValuePath, VariantMetadata}
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.variant.{FieldSorter, ValueHeader}

/**
 * Reads the residual values of one position. Each value is validated before Spark's code reads it,
 * and the fields of its objects are in Spark's order.
 *
 * @param checked
 *   the values that were validated in this batch
 */
private[read] final class ResidualReader(
    position: PositionVectors,
    metadata: VariantMetadata,
    checked: CheckedValues,
    context: FileContext
) {
  private val slice = new BinarySlice
  private val sorter = if (context.asSpark) null else new FieldSorter
  private val layout = position.position.layout

  checked.addReader()

  /** The metadata of the value that was read last. */
  var plan: MetadataPlan = _

  def bytes: Array[Byte] = slice.bytes
  def start: Int = slice.start
  def end: Int = slice.end

  /**
   * Reads the residual value of a slot, which must not be null.
   *
   * @param row
   *   the row that the slot belongs to
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if the value is invalid
   */
  def read(slot: Int, row: Int): Unit = {
    slice.read(position.value, slot)
    context.metrics.residualValuesRead += 1
    try {
      plan = metadata.ofResidual(slice, row)
      if (!context.strict && slice.cutToValue()) context.metrics.violationsTolerated += 1
      if (!checked.has(slot)) {
        context.validator
          .check(slice.bytes, slice.start, slice.end, plan.dictionary, context.maxDepth)
        checked.add(slot)
      }
      if (sorter != null && !checked.isSorted(slot)) {
        if (!slice.sortFields(sorter, plan.dictionary)) checked.addSorted(slot)
      }
    } catch {
      case e: VariantShreddedException =>
        throw ValuePath.within(position, position.position.path, e)
    }
  }

  /**
   * Refuses, in strict mode, a residual array at a position that is shredded as an array. The
   * residual value must have been read.
   */
  def checkAlone(): Unit = if (context.strict && position.list != null) {
    if (ValueHeader.isArray(slice.bytes(slice.start).toInt)) {
      throw invalid(
        s"'${layout.value}' holds an array, but '${layout.array}' (an array) is null."
      )
    }
  }

  /**
   * Handles a slot in which residual value and primitive `typed_value` are both non-null: an error
   * in strict mode, counted in permissive mode.
   */
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
