package io.github.variantshredded.sql.kernel

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{MetadataDictionary, ObjectCursor}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** Holds what functions on objects have in common. */
private[sql] abstract class ObjectKernel extends VariantKernel {

  /** Returns the function's name, for messages. */
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
