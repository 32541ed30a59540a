package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.VariantReader

/** Removes the Variant nulls of an array. */
private[sql] final case class ArrayCompact(function: String) extends ArrayChange(positions = 0) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    var i = 0
    while (i < size) {
      if (!VariantReader.isNull(bytes, cursor.elementPos(i), cursor.end))
        addElements(i, i + 1)
      i += 1
    }
  }
}
