package io.github.variantshredded.shredding.layout

import org.apache.parquet.column.ColumnDescriptor

/**
 * One leaf column below a Variant group.
 *
 * @param index
 *   place in `VariantGroup.leaves`
 * @param descriptor
 *   path and levels as in the file
 */
final class VariantLeaf(val index: Int, val descriptor: ColumnDescriptor, val required: Boolean) {
  def maxDefinition: Int = descriptor.getMaxDefinitionLevel

  def maxRepetition: Int = descriptor.getMaxRepetitionLevel

  def path: String = descriptor.getPath.mkString(".")
}
