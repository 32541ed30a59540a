package io.github.variantshredded.read.rebuild

import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.{MetadataPlan, OwnDictionaries}

/**
 * Rebuilds the values at one position of the Variants of a batch. An instance serves one column of
 * one file. It is not thread-safe.
 */
private[read] trait Rebuilder {

  /**
   * Returns the value in `slot` as a new array.
   *
   * @param plan
   *   the metadata of the Variant
   */
  def rebuild(plan: MetadataPlan, slot: Int): Array[Byte]

  /** Returns the metadata that belong to the value that [[rebuild]] returns. */
  def metadata(plan: MetadataPlan, slot: Int): Array[Byte]
}

private[read] object Rebuilder {

  /**
   * Returns the rebuilder of a position.
   *
   * @param own
   *   reads the metadata of residual values that have metadata of their own; None if they share the
   *   metadata of the row
   */
  def of(
      position: PositionVectors,
      own: Option[OwnDictionaries],
      context: FileContext
  ): Rebuilder =
    // Spark does not read the layout in which residual values have metadata of their own.
    if (context.asSpark && own.isEmpty) new SparkRebuilder(position, context)
    else new VariantRebuilder(position, own, context)
}
