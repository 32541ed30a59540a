package io.github.variantshredded.read.position

import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.types.variant.Variant

/** Gives Variants in binary form, in which a path can be searched. */
private[read] abstract class BinaryVariants {

  /** The bytes of the value that was read last, from `start` to `end`. */
  var bytes: Array[Byte] = _
  var start: Int = 0
  var end: Int = 0

  /** The metadata of that value. */
  var plan: MetadataPlan = _

  /** Starts a batch of `slots` slots. */
  def startBatch(slots: Int): Unit

  /** Returns true if any slot of the batch may have a Variant. */
  def mayHaveVariants: Boolean

  /** Reads the Variant of a slot. Returns false if the slot has none. */
  def read(slot: Int): Boolean
}

private[read] object BinaryVariants {

  /**
   * Gives the residual values of one position.
   *
   * @param isReplaced
   *   whether another value counts in a slot
   */
  final class OfResidual(
      node: PositionVectors,
      residual: ResidualReader,
      rows: SlotRows,
      isReplaced: Int => Boolean
  ) extends BinaryVariants {
    override def startBatch(slots: Int): Unit = node.startBatch(slots)

    override def mayHaveVariants: Boolean = node.value != null

    override def read(slot: Int): Boolean = !node.value.isNullAt(slot) && !isReplaced(slot) && {
      residual.read(slot, rows.row(slot))
      residual.checkAlone()
      bytes = residual.bytes
      start = residual.start
      end = residual.end
      plan = residual.plan
      true
    }
  }

  /** Gives the rebuilt Variants of one position. */
  final class OfRebuilt(reader: PositionReader) extends BinaryVariants {
    override def startBatch(slots: Int): Unit = reader.position.startBatch(slots)

    override def mayHaveVariants: Boolean = true

    override def read(slot: Int): Boolean = reader.isPresent(slot) && {
      bytes = reader.value(slot)
      start = 0
      end = bytes.length
      plan = reader.plan(slot)
      true
    }
  }

  /** Gives the same Variant in every slot, or none if `variant` is null. */
  final class Constant(variant: Variant, context: FileContext) extends BinaryVariants {
    if (variant != null) {
      val metadata = variant.getMetadata
      val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length, context.strict)
      bytes = variant.getValue
      end = bytes.length
      plan = new MetadataPlan(metadata, dictionary, Array.empty, false)
    }

    override def startBatch(slots: Int): Unit = ()

    override def mayHaveVariants: Boolean = plan != null

    override def read(slot: Int): Boolean = {
      start = 0
      end = bytes.length
      mayHaveVariants
    }
  }
}
