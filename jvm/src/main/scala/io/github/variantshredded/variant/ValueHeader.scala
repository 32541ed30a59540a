package io.github.variantshredded.variant

import io.github.variantshredded.variant.VariantConstants._

/**
 * Reads and makes the first byte of a value ("Value Metadata"): its basic type, and six bits that
 * mean the primitive type, the length of a short string, or the widths of a [[ContainerHeader]].
 *
 * ```
 *   7  6  5  4  3  2  1  0
 *  value_header      basic_type
 * ```
 *
 * A first byte may be given as it is in an array, with its sign.
 */
private[variantshredded] object ValueHeader {

  /** Returns the basic type, such as [[VariantConstants.BasicPrimitive]]. */
  def basicType(first: Int): Int = first & 3

  def isObject(first: Int): Boolean = basicType(first) == BasicObject

  def isArray(first: Int): Boolean = basicType(first) == BasicArray

  /** Returns the six bits beside the basic type: the type of a primitive, or a string's length. */
  def info(first: Int): Int = (first & 0xff) >>> 2

  /** Returns the first byte of a primitive value of the type `id`. */
  def ofPrimitive(id: Int): Int = id << 2

  /** Returns the first byte of a string of at most [[VariantConstants.MaxShortString]] bytes. */
  def ofShortString(length: Int): Int = length << 2 | BasicShortString

  /** Returns the first byte of an object or array. */
  def ofContainer(basicType: Int, info: Int): Int = info << 2 | basicType
}
