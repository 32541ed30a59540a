package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.{ObjectCursor, ValueHeader, VariantReader}

/**
 * Holds the residual fields of the partially shredded objects that are being written. The fields of
 * the innermost object come last, and those of one object are in ascending order of names. They are
 * removed from the end.
 */
private[read] final class ResidualFields(
    context: FileContext,
    path: ValuePath
) {
  private val cursor = new ObjectCursor
  private var sources = new Array[Array[Byte]](64)
  private var ids = new Array[Int](64)
  private var starts = new Array[Int](64)
  private var ends = new Array[Int](64)
  private var renamings = new Array[Array[Int]](64)
  private var top = 0

  /** Returns the number of fields of all open objects. */
  def count: Int = top

  def lastId: Int = ids(top - 1)

  /**
   * Returns the array that holds the value of the last field, from [[lastStart]] to [[lastEnd]].
   */
  def bytes: Array[Byte] = sources(top - 1)
  def lastStart: Int = starts(top - 1)
  def lastEnd: Int = ends(top - 1)

  /**
   * Returns the new ids for the field names in the value of the last field; null if the ids stay
   * the same.
   */
  def lastRenaming: Array[Int] = renamings(top - 1)

  def removeLast(): Unit = top -= 1

  def clear(): Unit = top = 0

  /**
   * Adds the fields of the residual value of an object.
   *
   * @param slice
   *   the validated residual value; its bytes must not change while the fields are in use
   * @param renaming
   *   for each field id in the residual value, the id in `plan`; null if they are the same
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   if the residual value is not an object or holds a shredded field, unless this is tolerated
   */
  def open(
      node: PositionVectors,
      obj: ObjectVectors,
      slice: BinarySlice,
      slot: Int,
      plan: MetadataPlan,
      renaming: Array[Int]
  ): Unit = {
    val residual = node.position.layout.value
    if (!ValueHeader.isObject(slice.bytes(slice.start).toInt)) {
      violated(
        node,
        s"'$residual' is not an object, but '${node.position.layout.obj}' (an object) is non-null."
      )
    } else {
      cursor.reset(slice.bytes, slice.start, slice.end)
      val fields = cursor.numFields
      val shredded = plan.shredded(obj)
      reserve(fields)
      var i = 0
      while (i < fields) {
        val own = cursor.fieldId(i)
        val id = if (renaming == null) own else renaming(own)
        if (shredded(id)) {
          violated(
            node,
            s"'$residual' holds the field '${plan.dictionary.key(id)}', which is shredded."
          )
        }
        if (!shredded(id) || isLost(node, obj, slot, plan, id)) {
          val start = cursor.fieldPos(i)
          sources(top) = slice.bytes
          ids(top) = id
          starts(top) = start
          renamings(top) = renaming
          ends(top) = start + VariantReader.valueSize(slice.bytes, start, slice.end)
          top += 1
        }
        i += 1
      }
    }
  }

  private def violated(node: PositionVectors, rule: => String): Unit = {
    if (context.strict) throw path.invalid(node, rule)
    context.metrics.violationsTolerated += 1
  }

  /**
   * Returns true if a shredded field exists only in the residual value. The layout `overview` then
   * takes it from there ("Reconstructing a Variant"); the Parquet specification does not.
   */
  private def isLost(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      plan: MetadataPlan,
      id: Int
  ): Boolean = node.position.layout == Layout.Overview && {
    val index = obj.ordinals.indexWhere(plan.id(_) == id)
    val field = obj.fields(index)
    !field.mayHaveValues || !(field.hasResidual(slot) || field.hasTyped(slot))
  }

  private def reserve(fields: Int): Unit = if (top + fields > ids.length) {
    val capacity = math.max(top + fields, ids.length * 2)
    sources = Arrays.copyOf(sources, capacity)
    ids = Arrays.copyOf(ids, capacity)
    starts = Arrays.copyOf(starts, capacity)
    ends = Arrays.copyOf(ends, capacity)
    renamings = Arrays.copyOf(renamings, capacity)
  }
}
