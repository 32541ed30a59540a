package io.github.variantshredded.sql.kernel

import java.util.Arrays

import io.github.variantshredded.variant.{ArrayCursor, MetadataDictionary, VariantReader}
import io.github.variantshredded.variant.encode.VariantEncoder
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Returns an object with some of its fields; null if a name or a list of names is NULL or a Variant
 * null. Nulls in a list count for nothing.
 *
 * @param named
 *   true to keep the named fields, false to keep all others
 */
private[sql] final case class SelectFields(function: String, named: Boolean) extends ObjectKernel {
  @transient private lazy val encoder = new VariantEncoder
  @transient private lazy val names = new ArrayCursor
  @transient private lazy val chosen = new ChosenFields

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (values.contains(null) || !arguments.obj(variant, cursor)) null
    else {
      val dictionary = arguments.dictionary(variant)
      if (choose(values, dictionary)) selected(variant, dictionary) else null
    }
  }

  private def selected(variant: VariantVal, dictionary: MetadataDictionary): VariantVal = {
    encoder.reset()
    encoder.beginObject()
    var i = 0
    while (i < cursor.numFields) {
      if (chosen.contains(i) == named) {
        val pos = cursor.fieldPos(i)
        encoder.field(cursor.fieldId(i))
        encoder.writeEncoded(
          variant.getValue,
          pos,
          VariantReader.valueSize(variant.getValue, pos, cursor.end)
        )
      }
      i += 1
    }
    encoder.endObject(dictionary)
    // Names that are no longer used remain in the metadata.
    new VariantVal(encoder.toByteArray, variant.getMetadata)
  }

  // Returns false if an argument is a Variant null.
  private def choose(values: Array[AnyRef], dictionary: MetadataDictionary): Boolean = {
    chosen.reset(cursor.numFields)
    var i = 1
    while (i < values.length && mark(dictionary, values(i))) i += 1
    i == values.length
  }

  private def mark(dictionary: MetadataDictionary, argument: AnyRef): Boolean = argument match {
    case keys: ArrayData                         => markAll(dictionary, keys)
    case variant: VariantVal if isArray(variant) => markAll(dictionary, variant)
    case key                                     => markName(dictionary, nameArgument(key))
  }

  private def isArray(variant: VariantVal): Boolean =
    VariantArguments.kind(variant) == VariantReader.ArrayKind

  private def markAll(dictionary: MetadataDictionary, keys: ArrayData): Boolean = {
    var i = 0
    while (i < keys.numElements()) {
      if (!keys.isNullAt(i)) markName(dictionary, keys.getUTF8String(i)): Unit
      i += 1
    }
    true
  }

  private def markAll(dictionary: MetadataDictionary, keys: VariantVal): Boolean = {
    arguments.array(keys, names): Unit
    var i = 0
    while (i < names.numElements) {
      markName(dictionary, arguments.name(keys.getValue, names.elementPos(i), names.end)): Unit
      i += 1
    }
    true
  }

  // Returns false if there is no name.
  private def markName(dictionary: MetadataDictionary, key: UTF8String): Boolean = {
    val index = if (key == null) -1 else cursor.indexOf(dictionary, key.getBytes)
    if (index >= 0) chosen.add(index)
    key != null
  }
}

/** Holds which fields of an object are chosen. The array is reused for each object. */
private final class ChosenFields {
  private var marks = new Array[Boolean](16)

  /** Removes all fields, and makes room for an object with this number of fields. */
  def reset(numFields: Int): Unit =
    if (marks.length < numFields) marks = new Array[Boolean](numFields)
    else Arrays.fill(marks, false)

  def add(field: Int): Unit = marks(field) = true

  def contains(field: Int): Boolean = marks(field)
}
