package io.github.variantshredded.sql.kernel

/** Removes the element at an index; the array is unchanged if there is none. */
private[sql] final case class ArrayRemoveAt(function: String) extends ArrayChange(positions = 1) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    val asked = position(values, 1)
    val at = if (asked < 0) size + asked else asked
    val removed = if (at < 0 || at > size) size else at
    addElements(0, removed)
    addElements(removed + 1, size)
  }
}
