package io.github.variantshredded.sql

import io.github.variantshredded.variant._
import org.apache.spark.unsafe.types.VariantVal

/**
 * Puts a Variant together from parts of others, whose field names get one new dictionary.
 *
 * The parts have been checked: see [[VariantArguments]].
 *
 * {{{
 * assembly.reset()
 * assembly.encoder.beginArray()
 * assembly.add(dictionary, bytes, pos, limit)
 * assembly.encoder.endArray()
 * assembly.result()
 * }}}
 */
private[sql] final class VariantAssembly {

  private val names = new MetadataBuilder

  /** Writes the value; parts with field names come by the methods here. */
  val encoder = new VariantEncoder

  // By depth: the objects and arrays that are open.
  private var objects = new Array[ObjectCursor](4)
  private var arrays = new Array[ArrayCursor](4)

  /** Forgets all that was put together; keeps the memory. */
  def reset(): Unit = {
    names.reset()
    encoder.reset()
  }

  /** Says that the next part is the field with this name. */
  def field(utf8: Array[Byte]): Unit = encoder.field(names.add(utf8, 0, utf8.length))

  /** Says that the next part is the field whose name is the id `id` of `dictionary`. */
  def field(dictionary: MetadataDictionary, id: Int): Unit =
    encoder.field(names.add(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id)))

  /** Ends the object that was begun last. */
  def endObject(): Unit = encoder.endObject(names)

  /** Checks a whole Variant and copies it. */
  def addWhole(arguments: VariantArguments, variant: VariantVal): Unit =
    add(arguments.checked(variant), variant.getValue, 0, variant.getValue.length)

  /** Copies the value at `pos`. */
  def add(dictionary: MetadataDictionary, bytes: Array[Byte], pos: Int, limit: Int): Unit =
    copy(dictionary, bytes, pos, limit, 0)

  /** What was put together. */
  def result(): VariantVal = new VariantVal(encoder.toByteArray, names.build())

  // As deep as the check of the parts allows.
  private def copy(
      dictionary: MetadataDictionary,
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      depth: Int
  ): Unit = VariantReader.kind(bytes, pos, limit) match {
    case VariantReader.ObjectKind =>
      reserve(depth)
      val cursor = objects(depth).reset(bytes, pos, limit)
      encoder.beginObject()
      var i = 0
      while (i < cursor.numFields) {
        field(dictionary, cursor.fieldId(i))
        copy(dictionary, bytes, cursor.fieldPos(i), cursor.end, depth + 1)
        i += 1
      }
      endObject()
    case VariantReader.ArrayKind =>
      reserve(depth)
      val cursor = arrays(depth).reset(bytes, pos, limit)
      encoder.beginArray()
      var i = 0
      while (i < cursor.numElements) {
        copy(dictionary, bytes, cursor.elementPos(i), cursor.end, depth + 1)
        i += 1
      }
      encoder.endArray()
    case _ => encoder.writeEncoded(bytes, pos, VariantReader.valueSize(bytes, pos, limit))
  }

  private def reserve(depth: Int): Unit = {
    if (depth == objects.length) {
      objects = java.util.Arrays.copyOf(objects, depth * 2)
      arrays = java.util.Arrays.copyOf(arrays, depth * 2)
    }
    if (objects(depth) == null) {
      objects(depth) = new ObjectCursor
      arrays(depth) = new ArrayCursor
    }
  }
}
