package io.github.variantshredded.sql.kernel

/** Returns the elements from one index up to another, which is not included. */
private[sql] final case class ArraySlice(function: String) extends ArrayChange(positions = 2) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit =
    addElements(index(position(values, 1), size), index(position(values, 2), size))

  private def index(position: Int, size: Int): Int =
    if (position < 0) math.max(size + position, 0) else math.min(position, size)
}
