package io.github.variantshredded.sql.kernel

import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{
  ArrayCursor,
  DictionaryCache,
  MetadataDictionary,
  ObjectCursor,
  VariantConstants,
  VariantReader,
  VariantValidator
}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Reads the Variants that are arguments of a function.
 *
 * Values are checked completely before a part of them is copied: an invalid value, such as one
 * whose children overlap or whose names are not unique, is the error `MALFORMED_VARIANT`. So work
 * and memory are in proportion to the size of the arguments.
 *
 * @param function
 *   name of the function, for messages
 */
private[sql] final class VariantArguments(function: String) {

  private val dictionaries = new DictionaryCache[MetadataDictionary](identity)
  private val validator = new VariantValidator

  /** Returns the metadata dictionary of a Variant. */
  def dictionary(variant: VariantVal): MetadataDictionary = {
    val metadata = variant.getMetadata
    dictionaries.get(metadata, 0, metadata.length)
  }

  /** Checks the value of a Variant, and returns its metadata dictionary. */
  def checked(variant: VariantVal): MetadataDictionary = {
    val names = dictionary(variant)
    validator.check(variant.getValue, 0, variant.getValue.length, names)
    names
  }

  /**
   * Checks an argument that is an array, and moves `cursor` to it.
   *
   * @return
   *   false if the argument is a Variant null
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_FUNCTION_ARGUMENT` if it is anything else
   */
  def array(variant: VariantVal, cursor: ArrayCursor): Boolean = {
    val isArray = isKind(variant, VariantReader.ArrayKind, "an array")
    if (isArray) cursor.reset(variant.getValue, 0, variant.getValue.length): Unit
    isArray
  }

  /** Does what [[array]] does, for an object. */
  def obj(variant: VariantVal, cursor: ObjectCursor): Boolean = {
    val isObject = isKind(variant, VariantReader.ObjectKind, "an object")
    if (isObject) cursor.reset(variant.getValue, 0, variant.getValue.length): Unit
    isObject
  }

  /** Does what [[obj]] does, but returns false for all values that are no object. */
  def maybeObject(variant: VariantVal, cursor: ObjectCursor): Boolean =
    VariantArguments.kind(variant) == VariantReader.ObjectKind && obj(variant, cursor)

  /**
   * Returns the name that the value at `pos` is.
   *
   * @return
   *   null if the value is a Variant null
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_FUNCTION_ARGUMENT` if it is no string
   */
  def name(bytes: Array[Byte], pos: Int, limit: Int): UTF8String =
    VariantReader.kind(bytes, pos, limit) match {
      case VariantConstants.LongString =>
        UTF8String.fromBytes(
          bytes,
          VariantReader.contentStart(bytes, pos, limit),
          VariantReader.contentLength(bytes, pos, limit)
        )
      case VariantConstants.Null => null
      case other                 =>
        throw VariantShreddedErrors.functionArgument(
          function,
          s"needs a string as a name, not a value of the type ${VariantReader.kindName(other)}"
        )
    }

  /** Does what the other `name` does, for a whole value. */
  def name(variant: VariantVal): UTF8String = name(variant.getValue, 0, variant.getValue.length)

  private def isKind(variant: VariantVal, wanted: Int, name: String): Boolean = {
    val found = VariantArguments.kind(variant)
    if (found == wanted) checked(variant): Unit
    else if (found != VariantConstants.Null)
      throw VariantShreddedErrors.functionArgument(
        function,
        s"needs $name, not a value of the type ${VariantReader.kindName(found)}"
      )
    found == wanted
  }
}

private[sql] object VariantArguments {

  /** Returns the [[VariantReader.kind]] of a whole value. */
  def kind(variant: VariantVal): Int =
    VariantReader.kind(variant.getValue, 0, variant.getValue.length)

  /** Returns the value at `pos` as a Variant of its own, with the metadata of the whole. */
  def child(variant: VariantVal, pos: Int, limit: Int): VariantVal = {
    val bytes = variant.getValue
    val size = VariantReader.valueSize(bytes, pos, limit)
    new VariantVal(Arrays.copyOfRange(bytes, pos, pos + size), variant.getMetadata)
  }
}
