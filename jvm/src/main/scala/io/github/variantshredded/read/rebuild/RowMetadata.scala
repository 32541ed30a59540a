package io.github.variantshredded.read.rebuild

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.{BinarySlice, PositionVectors}
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** The dictionaries of the Variants of one column: where the two layouts differ. */
private[read] abstract class RowMetadata {

  /** Called once a row group, before its first batch. */
  def startRowGroup(): Unit

  /**
   * The dictionary of what is put together at a position.
   *
   * @param slot
   *   one where something is
   * @param row
   *   the row that the slot belongs to
   */
  def plan(position: PositionVectors, slot: Int, row: Int): MetadataPlan

  /**
   * The dictionary of an untyped value.
   *
   * @param value
   *   the untyped column's bytes, from which those that are no value are taken off
   * @param row
   *   the row that it belongs to
   */
  def ofResidual(value: BinarySlice, row: Int): MetadataPlan

  /** The dictionaries of untyped values that have their own; None if they share that of the row. */
  def own: Option[OwnDictionaries]
}

private[read] object RowMetadata {

  /**
   * One dictionary a row, in the column `metadata`.
   *
   * @param isSkipped
   *   whether `metadata` was not fetched, because no value in the row group has a name in it: then it
   *   is the empty one
   */
  final class Shared(
      metadata: WritableColumnVector,
      isSkipped: () => Boolean,
      names: Array[Array[Byte]],
      context: VariantContext
  ) extends RowMetadata {
    private val plans = new MetadataPlans(names, context.strict)
    private val empty = {
      val bytes = Array[Byte](1, 0, 0)
      val dictionary = MetadataDictionary.parse(bytes, 0, bytes.length, context.strict)
      new MetadataPlan(bytes, dictionary, names, true)
    }

    override def startRowGroup(): Unit = plans.startRowGroup()

    override def plan(position: PositionVectors, slot: Int, row: Int): MetadataPlan = plan(row)

    override def ofResidual(value: BinarySlice, row: Int): MetadataPlan = plan(row)

    override def own: Option[OwnDictionaries] = None

    private def plan(row: Int): MetadataPlan =
      if (isSkipped()) empty
      else if (metadata.isNullAt(row)) {
        throw VariantShreddedErrors.malformedVariant(
          "'metadata' is null where the Variant is not.",
          ErrorLocation(path = Some("$"))
        )
      } else {
        plans.plan(metadata, row)
      }
  }
}
