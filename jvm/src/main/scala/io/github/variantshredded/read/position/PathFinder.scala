package io.github.variantshredded.read.position

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import io.github.variantshredded.extraction.PathStep
import io.github.variantshredded.variant.{
  ArrayCursor,
  ObjectCursor,
  VariantConstants,
  VariantReader
}

/** Finds the value at a path in the Variants of `source`. */
private[read] final class PathFinder(val source: BinaryVariants, steps: Array[PathStep]) {
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

  /** The start, in `source.bytes`, of the value that was found. */
  var start: Int = 0
  var end: Int = 0

  /** Searches in a slot. Returns false if the path does not exist there. */
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
      val index = fields.indexOf(source.plan.dictionary, name)
      if (index < 0) -1 else fields.fieldPos(index)
    }

  private def element(index: Int): Int =
    if ((source.bytes(start) & 3) != VariantConstants.BasicArray) -1
    else {
      elements.reset(source.bytes, start, end)
      if (index < elements.numElements) elements.elementPos(index) else -1
    }

  /** Returns true if the value that was found is a Variant null. */
  def isVariantNull: Boolean = source.bytes(start) == VariantConstants.Null

  /** Returns a copy of the value that was found. */
  def value: Array[Byte] = Arrays.copyOfRange(source.bytes, start, end)
}
