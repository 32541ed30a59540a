package io.github.variantshredded.shredding.layout

import org.apache.parquet.schema.{GroupType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.VariantLogicalTypeAnnotation
import org.apache.parquet.schema.Type.Repetition

/** Finds the elements of lists in files of all writers. */
private[variantshredded] object ListElement {

  /**
   * Returns whether a repeated field is a list and its element in one: Protocol Buffers and old
   * writers have no group for the list around it.
   */
  def isBareList(field: Type): Boolean =
    field.isRepetition(Repetition.REPEATED) && (field.getLogicalTypeAnnotation match {
      case null | _: VariantLogicalTypeAnnotation => true
      case _                                      => false
    })

  /**
   * Returns whether the repeated field of a list is the element itself, by the
   * backward-compatibility rules of Parquet, and not a group around it.
   */
  def isRepeated(list: GroupType, repeated: Type): Boolean = repeated.isPrimitive ||
    repeated.asGroupType.getFieldCount != 1 || repeated.getName == "array" ||
    repeated.getName == s"${list.getName}_tuple"
}
