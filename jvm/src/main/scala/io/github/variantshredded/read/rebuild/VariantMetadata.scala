package io.github.variantshredded.read.rebuild

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.{MetadataPlan, MetadataPlans, OwnDictionaries}
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.variant.{MetadataDictionary, VariantPath}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * Finds the metadata dictionary of each Variant of one column. The two layouts store them
 * differently, and subclasses hide this.
 */
private[read] abstract class VariantMetadata {

  /** Prepares for a row group. Must be called before its first batch. */
  def startRowGroup(): Unit

  /**
   * Returns the metadata with which the value at a position is rebuilt.
   *
   * @param slot
   *   a slot in which the position has a value
   * @param row
   *   the row that the slot belongs to
   */
  def plan(position: PositionVectors, slot: Int, row: Int): MetadataPlan

  /**
   * Returns the metadata of a residual value.
   *
   * @param value
   *   the bytes of the residual column; if they begin with metadata of their own, the start is
   *   moved past it
   * @param row
   *   the row that the value belongs to
   */
  def ofResidual(value: BinarySlice, row: Int): MetadataPlan

  /**
   * Returns the reader of the metadata of single residual values; None if they share the metadata
   * of the row.
   */
  def own: Option[OwnDictionaries]
}

private[read] object VariantMetadata {

  /**
   * Finds the metadata of the layout `spec`: one dictionary per row, in the column `metadata`.
   *
   * @param isSkipped
   *   returns true if `metadata` was not fetched because no value in the row group has field
   *   names; the dictionary is then empty
   */
  final class Shared(
      metadata: WritableColumnVector,
      isSkipped: () => Boolean,
      names: Array[Array[Byte]],
      context: FileContext
  ) extends VariantMetadata {
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
          ErrorLocation(path = Some(VariantPath.Root))
        )
      } else {
        plans.plan(metadata, row)
      }
  }
}
