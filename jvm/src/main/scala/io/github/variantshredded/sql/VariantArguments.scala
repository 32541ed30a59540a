package io.github.variantshredded.sql

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
import org.apache.spark.unsafe.types.VariantVal

/**
 * Reads Variants that are arguments: their kinds, their dictionaries, their containers.
 *
 * Values are checked in depth before anything of them is copied: what claims more than its bytes
 * hold (children that overlap, names that come twice) is `MALFORMED_VARIANT`, so that work and
 * memory grow with the size of the arguments.
 *
 * @param function
 *   the function's name, for messages
 */
private[sql] final class VariantArguments(function: String) {

  private val dictionaries = new DictionaryCache[MetadataDictionary](identity)
  private val validator = new VariantValidator

  /** The field names of a Variant. */
  def dictionary(variant: VariantVal): MetadataDictionary = {
    val metadata = variant.getMetadata
    dictionaries.get(metadata, 0, metadata.length)
  }

  /** The field names of a Variant whose value is checked. */
  def checked(variant: VariantVal): MetadataDictionary = {
    val names = dictionary(variant)
    validator.check(variant.getValue, 0, variant.getValue.length, names)
    names
  }

  /**
   * Takes over the array that an argument is, and checks it.
   *
   * @return
   *   false if it is a Variant null
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   if it is anything else
   */
  def array(variant: VariantVal, cursor: ArrayCursor): Boolean = {
    val isArray = isKind(variant, VariantReader.ArrayKind, "an array")
    if (isArray) cursor.reset(variant.getValue, 0, variant.getValue.length): Unit
    isArray
  }

  /** As [[array]], for an object. */
  def obj(variant: VariantVal, cursor: ObjectCursor): Boolean = {
    val isObject = isKind(variant, VariantReader.ObjectKind, "an object")
    if (isObject) cursor.reset(variant.getValue, 0, variant.getValue.length): Unit
    isObject
  }

  /** As [[obj]], but false for all that is no object. */
  def maybeObject(variant: VariantVal, cursor: ObjectCursor): Boolean =
    VariantArguments.kind(variant) == VariantReader.ObjectKind && obj(variant, cursor)

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

  /** [[VariantReader.kind]] of a whole value. */
  def kind(variant: VariantVal): Int =
    VariantReader.kind(variant.getValue, 0, variant.getValue.length)

  /** The sub-value at `pos` as a Variant of its own, with the metadata of the whole. */
  def child(variant: VariantVal, pos: Int, limit: Int): VariantVal = {
    val bytes = variant.getValue
    val size = VariantReader.valueSize(bytes, pos, limit)
    new VariantVal(Arrays.copyOfRange(bytes, pos, pos + size), variant.getMetadata)
  }
}
