package io.github.variantshredded.read

import java.util.Arrays

import io.github.variantshredded.variant.{ObjectCursor, VariantConstants, VariantReader}

/**
 * Fields in the residuals of partially shredded objects that are being written, innermost object
 * last and each object's by ascending name; they are taken off from the end.
 */
private[read] final class ResidualFields(
    strict: Boolean,
    place: ValuePlace,
    metrics: ReadMetrics
) {
  private val cursor = new ObjectCursor
  private var sources = new Array[Array[Byte]](64)
  private var ids = new Array[Int](64)
  private var starts = new Array[Int](64)
  private var ends = new Array[Int](64)
  private var top = 0

  /** Fields of all open objects. */
  def count: Int = top

  def lastId: Int = ids(top - 1)

  /** The array that the last field lies in, from [[lastStart]] to [[lastEnd]]. */
  def bytes: Array[Byte] = sources(top - 1)
  def lastStart: Int = starts(top - 1)
  def lastEnd: Int = ends(top - 1)

  def removeLast(): Unit = top -= 1

  def clear(): Unit = top = 0

  /**
   * Adds the fields of an object's residual.
   *
   * @param slice
   *   the residual, checked; its bytes stay in place
   */
  def open(
      node: PositionVectors,
      obj: ObjectVectors,
      slice: BinarySlice,
      plan: MetadataPlan
  ): Unit =
    if ((slice.bytes(slice.start) & 3) != VariantConstants.BasicObject) {
      if (strict) {
        throw place.invalid(
          node,
          "'value' is not an object, but 'typed_value' (an object) is non-null."
        )
      }
      metrics.violationsTolerated += 1
    } else {
      cursor.reset(slice.bytes, slice.start, slice.end)
      val fields = cursor.numFields
      val shredded = plan.shredded(obj)
      val base = top
      reserve(fields)
      var i = 0
      while (i < fields) {
        val id = cursor.fieldId(i)
        if (shredded(id)) {
          if (strict) {
            throw place.invalid(
              node,
              s"'value' holds the field '${plan.dictionary.key(id)}', which is shredded."
            )
          }
          metrics.violationsTolerated += 1
        } else {
          val start = cursor.fieldPos(i)
          sources(top) = slice.bytes
          ids(top) = id
          starts(top) = start
          ends(top) = start + VariantReader.valueSize(slice.bytes, start, slice.end)
          top += 1
        }
        i += 1
      }
      sort(base, plan)
    }

  /** Residual fields come sorted; only names that UTF-8 and UTF-16 order differently move. */
  private def sort(base: Int, plan: MetadataPlan): Unit = {
    var i = base + 1
    while (i < top) {
      var j = i
      while (j > base && plan.dictionary.compareKeys(ids(j - 1), ids(j)) > 0) {
        swap(ids, j)
        swap(starts, j)
        swap(ends, j)
        j -= 1
      }
      i += 1
    }
  }

  private def swap(array: Array[Int], j: Int): Unit = {
    val held = array(j)
    array(j) = array(j - 1)
    array(j - 1) = held
  }

  private def reserve(fields: Int): Unit = if (top + fields > ids.length) {
    val capacity = math.max(top + fields, ids.length * 2)
    sources = Arrays.copyOf(sources, capacity)
    ids = Arrays.copyOf(ids, capacity)
    starts = Arrays.copyOf(starts, capacity)
    ends = Arrays.copyOf(ends, capacity)
  }
}
