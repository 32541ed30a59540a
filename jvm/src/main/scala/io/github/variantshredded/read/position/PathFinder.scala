package io.github.variantshredded.read.position

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import io.github.variantshredded.extraction.PathStep
import io.github.variantshredded.variant.{
  ArrayCursor,
  MetadataDictionary,
  ObjectCursor,
  ValueHeader,
  VariantConstants,
  VariantReader
}

/** Finds the value at a path in the Variants of `source`. */
private[read] final class PathFinder(val source: BinaryVariants, steps: Array[PathStep]) {
  import PathFinder._

  private val names = steps.map {
    case PathStep.Field(name) => name.getBytes(UTF_8)
    case _                    => null
  }
  private val indexes = steps.map {
    case PathStep.Element(index) => index
    case _                       => -1
  }
  // What is known of the names in the dictionary of the last row: their ids, or why there is none.
  private val ids = new Array[Int](steps.length)
  private var known: MetadataDictionary = _

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
      val child = if (names(i) != null) field(i) else element(indexes(i))
      if (child < 0) end = -1
      else {
        start = child
        end = child + VariantReader.valueSize(source.bytes, child, end)
      }
      i += 1
    }
    end >= 0
  }

  private def field(step: Int): Int =
    if (!ValueHeader.isObject(source.bytes(start).toInt)) -1
    else {
      val dictionary = source.plan.dictionary
      val id = idOf(step, dictionary)
      if (id == Missing) -1
      else {
        fields.reset(source.bytes, start, end)
        val index =
          if (id >= 0) fields.indexOfId(dictionary, id) else byName(dictionary, names(step))
        if (index < 0) -1 else fields.fieldPos(index)
      }
    }

  /**
   * Returns the id of a step's name, [[Missing]] if the dictionary lacks the name, or another
   * negative number if only the names of the fields tell.
   */
  private def idOf(step: Int, dictionary: MetadataDictionary): Int = {
    if (known ne dictionary) {
      known = dictionary
      Arrays.fill(ids, Unresolved)
    }
    if (ids(step) == Unresolved && dictionary.prefersIds)
      ids(step) = if (dictionary.hasRepeats) Repeated else dictionary.find(names(step))
    ids(step)
  }

  private def byName(dictionary: MetadataDictionary, name: Array[Byte]): Int = {
    val index = fields.indexOf(dictionary, name)
    dictionary.countSearched(if (index < 0) fields.numFields else index + 1)
    index
  }

  private def element(index: Int): Int =
    if (!ValueHeader.isArray(source.bytes(start).toInt)) -1
    else {
      elements.reset(source.bytes, start, end)
      if (index < elements.numElements) elements.elementPos(index) else -1
    }

  /** Returns true if the value that was found is a Variant null. */
  def isVariantNull: Boolean = source.bytes(start) == VariantConstants.Null

  /** Returns a copy of the value that was found. */
  def value: Array[Byte] = Arrays.copyOfRange(source.bytes, start, end)
}

private object PathFinder {

  /** What [[MetadataDictionary.find]] returns for a name that there is not. */
  private final val Missing = -1

  private final val Unresolved = -2

  /** Says that the dictionary may have the name under several ids. */
  private final val Repeated = -3
}
