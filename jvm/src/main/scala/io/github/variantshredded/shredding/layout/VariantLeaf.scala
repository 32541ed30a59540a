package io.github.variantshredded.shredding.layout

import org.apache.parquet.column.ColumnDescriptor

/**
 * Describes one leaf column of a Variant.
 *
 * @param index
 *   index in `VariantGroup.leaves`
 * @param descriptor
 *   path and levels in the file
 */
final class VariantLeaf(val index: Int, val descriptor: ColumnDescriptor, val required: Boolean) {
  def maxDefinition: Int = descriptor.getMaxDefinitionLevel

  def maxRepetition: Int = descriptor.getMaxRepetitionLevel

  def path: String = descriptor.getPath.mkString(".")
}
