package io.github.variantshredded.sql

import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{
  ArrayCursor,
  MetadataDictionary,
  ObjectCursor,
  VariantEncoder,
  VariantReader
}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** Holds what functions on objects have in common. */
private[sql] sealed abstract class ObjectKernel extends VariantKernel {

  /** The function's name, for messages. */
  def function: String

  @transient protected final lazy val arguments = new VariantArguments(function)
  @transient protected final lazy val cursor = new ObjectCursor

  /** Returns the name of a field; its bytes are those of the dictionary, which never change. */
  protected final def name(dictionary: MetadataDictionary, field: Int): UTF8String = {
    val id = cursor.fieldId(field)
    UTF8String.fromBytes(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
  }

  /** Returns the name that an argument is: a string, or a Variant that is one; null for nulls. */
  protected final def nameArgument(argument: AnyRef): UTF8String = argument match {
    case variant: VariantVal => arguments.name(variant)
    case text                => text.asInstanceOf[UTF8String]
  }

  /** Returns the bytes of the name of a new field. */
  protected final def encoded(key: UTF8String): Array[Byte] =
    if (key.isValid) key.getBytes
    else throw VariantShreddedErrors.functionArgument(function, "gets a name that is not UTF-8")
}

/** Returns the names of an object's fields, in its order; null for any other value. */
private[sql] final case class ObjectKeys(function: String) extends ObjectKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (variant == null || !arguments.maybeObject(variant, cursor)) null
    else {
      val dictionary = arguments.dictionary(variant)
      val keys = new Array[Any](cursor.numFields)
      var i = 0
      while (i < keys.length) {
        keys(i) = name(dictionary, i)
        i += 1
      }
      new GenericArrayData(keys)
    }
  }
}

/**
 * Returns the field of an object with this name or, if there is none, the first field in the
 * object's order whose name differs only in case; null if there is none, or if the value is no
 * object.
 */
private[sql] final case class GetIgnoreCase(function: String) extends ObjectKernel {
  @transient private lazy val sought = new SoughtName

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    val key = nameArgument(values(1))
    if (variant == null || key == null || !arguments.maybeObject(variant, cursor)) null
    else {
      sought.set(key)
      val dictionary = arguments.dictionary(variant)
      val same = cursor.indexOf(dictionary, sought.utf8)
      val found = if (same >= 0) same else similar(dictionary)
      if (found < 0) null
      else VariantArguments.child(variant, cursor.fieldPos(found), cursor.end)
    }
  }

  // Names are compared in lower case only if there is no equal name.
  private def similar(dictionary: MetadataDictionary): Int = {
    var i = 0
    while (i < cursor.numFields && name(dictionary, i).toLowerCase != sought.lowerCase) i += 1
    if (i < cursor.numFields) i else -1
  }
}

/** Keeps the forms of the last name that was searched for: most queries search for one name. */
private final class SoughtName {
  private var name: UTF8String = _

  /** The bytes of the name. */
  var utf8: Array[Byte] = _

  /** The name in lower case. */
  var lowerCase: UTF8String = _

  /** Sets the name; computes its forms if it differs from the name before. */
  def set(key: UTF8String): Unit =
    if (key != name) {
      name = key.copy()
      utf8 = name.getBytes
      lowerCase = name.toLowerCase
    }
}

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

/** Adds a field to an object; the field is left out if its value is SQL NULL. */
private[sql] final case class ObjectInsert(function: String) extends ObjectKernel {
  @transient private lazy val assembly = new VariantAssembly

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    val key = nameArgument(values(1))
    val added = values(2).asInstanceOf[VariantVal]
    val update = values(3).asInstanceOf[java.lang.Boolean]
    if (variant == null || key == null || update == null) null
    else if (!arguments.obj(variant, cursor)) null
    else insert(variant, key, added, update)
  }

  private def insert(
      variant: VariantVal,
      key: UTF8String,
      added: VariantVal,
      update: Boolean
  ): VariantVal = {
    val dictionary = arguments.dictionary(variant)
    val utf8 = encoded(key)
    val existing = cursor.indexOf(dictionary, utf8)
    if (existing >= 0 && !update)
      throw VariantShreddedErrors.functionArgument(
        function,
        s"finds the field '$key' in the object already; give true as a fourth argument to replace it"
      )
    assembly.reset()
    assembly.encoder.beginObject()
    var i = 0
    while (i < cursor.numFields) {
      if (i != existing) {
        assembly.field(dictionary, cursor.fieldId(i))
        assembly.add(dictionary, variant.getValue, cursor.fieldPos(i), cursor.end)
      }
      i += 1
    }
    if (added != null) {
      assembly.field(utf8)
      assembly.addWhole(arguments, added)
    }
    assembly.endObject()
    assembly.result()
  }
}

/**
 * Builds an object of alternating keys and values. A pair whose key is NULL or a Variant null is
 * left out. A pair with the value NULL is left out too, unless `keepNull`, which makes the value a
 * Variant null.
 */
private[sql] final case class ObjectConstruct(function: String, keepNull: Boolean)
    extends ObjectKernel {
  @transient private lazy val assembly = new VariantAssembly

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    assembly.reset()
    assembly.encoder.beginObject()
    var i = 0
    while (i < values.length) {
      values(i) = nameArgument(values(i))
      val value = values(i + 1).asInstanceOf[VariantVal]
      if (isKept(values, i)) {
        assembly.field(unique(values, i))
        if (value == null) assembly.encoder.writeNull() else assembly.addWhole(arguments, value)
      }
      i += 2
    }
    assembly.endObject()
    assembly.result()
  }

  private def isKept(values: Array[AnyRef], i: Int): Boolean =
    values(i) != null && (values(i + 1) != null || keepNull)

  private def unique(values: Array[AnyRef], i: Int): Array[Byte] = {
    val key = values(i).asInstanceOf[UTF8String]
    var before = 0
    while (before < i) {
      if (isKept(values, before) && values(before) == key)
        throw VariantShreddedErrors.functionArgument(function, s"gets the field '$key' twice")
      before += 2
    }
    encoded(key)
  }
}
