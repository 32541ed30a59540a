package io.github.variantshredded.read.extract

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import io.github.variantshredded.extraction.PathStep
import io.github.variantshredded.read.{MetadataPlan, PositionVectors, VariantContext}
import io.github.variantshredded.variant._
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

/** Finds what lies at a path in the Variants of `source`. */
private[read] final class PathFinder(val source: VariantSource, steps: Array[PathStep]) {
  private val names = steps.map {
    case PathStep.Field(name) => name.getBytes(UTF_8)
    case _                    => null
  }
  private val indexes = steps.map {
    case PathStep.Element(index) => index
    case _                       => -1
  }
  private val fields = new ObjectCursor
  private val elements = new ArrayCursor

  /** Place in `source.bytes` of what was found. */
  var start: Int = 0
  var end: Int = 0

  /** Looks in a slot; false if nothing is there. */
  def find(slot: Int): Boolean = source.read(slot) && {
    start = source.start
    end = source.end
    var i = 0
    while (i < names.length && end >= 0) {
      val child = if (names(i) != null) field(names(i)) else element(indexes(i))
      if (child < 0) end = -1
      else {
        start = child
        end = child + VariantReader.valueSize(source.bytes, child, end)
      }
      i += 1
    }
    end >= 0
  }

  private def field(name: Array[Byte]): Int =
    if ((source.bytes(start) & 3) != VariantConstants.BasicObject) -1
    else {
      fields.reset(source.bytes, start, end)
      val place = fields.indexOf(source.plan.dictionary, name)
      if (place < 0) -1 else fields.fieldPos(place)
    }

  private def element(index: Int): Int =
    if ((source.bytes(start) & 3) != VariantConstants.BasicArray) -1
    else {
      elements.reset(source.bytes, start, end)
      if (index < elements.numElements) elements.elementPos(index) else -1
    }

  /** Whether what was found is a Variant null. */
  def isVariantNull: Boolean = source.bytes(start) == VariantConstants.Null

  /** Bytes of what was found. */
  def value: Array[Byte] = Arrays.copyOfRange(source.bytes, start, end)
}
