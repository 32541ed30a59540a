package io.github.variantshredded.read.footer

import org.apache.parquet.schema.{GroupType, Type}

/** Finds the elements of lists in files of all writers. */
private[footer] object ListElement {

  /**
   * Returns whether the repeated field of a list is the element itself, by the
   * backward-compatibility rules of Parquet, and not a group around it.
   */
  def isRepeated(list: GroupType, repeated: Type): Boolean = repeated.isPrimitive ||
    repeated.asGroupType.getFieldCount > 1 || repeated.getName == "array" ||
    repeated.getName == s"${list.getName}_tuple"
}
