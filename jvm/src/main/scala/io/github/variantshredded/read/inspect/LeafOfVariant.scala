package io.github.variantshredded.read.inspect

/**
 * Says where a leaf column is in its Variant.
 *
 * @param path
 *   path of its values
 * @param name
 *   name of the leaf column within the group: `metadata`, `value` or `typed_value`
 * @param layout
 *   name of the layout, or `unshredded`
 */
private[inspect] final case class LeafOfVariant(path: String, name: String, layout: String)
