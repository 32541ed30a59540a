package io.github.variantshredded.replace

/**
 * Holds a merged schema, or a part of it, in a form that is compared with the bytes of a Variant:
 * it shows which values leave the schema unchanged when their schemas are merged into it.
 *
 * @param kind
 *   one of the constants in the companion
 * @param names
 *   for an object, the numbers of its fields' names, in the order of the fields
 * @param fields
 *   for an object, its fields
 * @param element
 *   for an array, its elements
 */
private[variantshredded] final class CoveredSchema(
    kind: Int,
    scalars: CoveredScalars,
    val names: Array[Int],
    val fields: Array[CoveredSchema],
    val element: CoveredSchema
) {
  import CoveredSchema._

  def isObject: Boolean = kind == ObjectKind
  def isArray: Boolean = kind == ArrayKind

  /** Returns whether every value leaves the schema unchanged. */
  def isVariant: Boolean = kind == VariantKind

  /**
   * Returns whether a primitive of the type `id`, which is no decimal, leaves the schema unchanged.
   */
  def holds(id: Int): Boolean = scalars.holds(id)

  def holdsDecimal(precision: Int, scale: Int): Boolean = scalars.holdsDecimal(precision, scale)
}

private[variantshredded] object CoveredSchema {
  final val ScalarKind = 0
  final val ObjectKind = 1
  final val ArrayKind = 2
  final val VariantKind = 3
}
