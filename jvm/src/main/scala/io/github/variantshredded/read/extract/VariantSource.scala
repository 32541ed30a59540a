package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.read.rebuild.MetadataPlan
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.types.variant.Variant

/** Whole Variants, in which a path is then looked for. */
private[read] abstract class VariantSource {

  /** Bytes of the value that was read last, from `start` to `end`. */
  var bytes: Array[Byte] = _
  var start: Int = 0
  var end: Int = 0

  /** Dictionary of that value. */
  var plan: MetadataPlan = _

  /** Called once a batch of so many slots. */
  def startBatch(slots: Int): Unit

  /** Whether any slot of the batch may have one. */
  def isLive: Boolean

  /** Reads the Variant of a slot; false if there is none. */
  def read(slot: Int): Boolean
}

private[read] object VariantSource {

  /** The `value` of one position. */
  final class OfResidual(node: PositionVectors, residual: ResidualReader, rows: SlotRows)
      extends VariantSource {
    override def startBatch(slots: Int): Unit = node.startBatch(slots)

    override def isLive: Boolean = node.value != null

    override def read(slot: Int): Boolean = !node.value.isNullAt(slot) && {
      residual.read(slot, rows.row(slot))
      residual.checkAlone()
      bytes = residual.bytes
      start = residual.start
      end = residual.end
      plan = residual.plan
      true
    }
  }

  /** The rebuilt Variants of one position. */
  final class OfRebuilt(reader: PositionReader) extends VariantSource {
    override def startBatch(slots: Int): Unit = reader.position.startBatch(slots)

    override def isLive: Boolean = true

    override def read(slot: Int): Boolean = reader.isPresent(slot) && {
      bytes = reader.value(slot)
      start = 0
      end = bytes.length
      plan = reader.plan(slot)
      true
    }
  }

  /** The same Variant in every slot; none if it is null. */
  final class Constant(variant: Variant, context: VariantContext) extends VariantSource {
    if (variant != null) {
      val metadata = variant.getMetadata
      val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length, context.strict)
      bytes = variant.getValue
      end = bytes.length
      plan = new MetadataPlan(metadata, dictionary, Array.empty, false)
    }

    override def startBatch(slots: Int): Unit = ()

    override def isLive: Boolean = plan != null

    override def read(slot: Int): Boolean = {
      start = 0
      end = bytes.length
      isLive
    }
  }
}
