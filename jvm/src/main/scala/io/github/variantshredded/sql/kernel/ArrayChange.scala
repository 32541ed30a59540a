package io.github.variantshredded.sql.kernel

import org.apache.spark.unsafe.types.VariantVal

/**
 * Returns the first argument, an array, with changed elements; null if it is NULL, or one of the
 * integers that follow it (`positions` is their number).
 *
 * Indexes count from 0, and negative ones from the end.
 */
private[sql] abstract class ArrayChange(positions: Int) extends ArrayKernel {

  final override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (hasNull(values) || !open(variant)) null
    else {
      begin()
      addChanged(cursor.numElements, values)
      end()
    }
  }

  /** Adds the elements of the result; `size` is the number of elements of the first argument. */
  protected def addChanged(size: Int, values: Array[AnyRef]): Unit

  protected final def position(values: Array[AnyRef], argument: Int): Int =
    values(argument).asInstanceOf[Integer].intValue

  private def hasNull(values: Array[AnyRef]): Boolean = {
    var i = 0
    while (i <= positions && values(i) != null) i += 1
    i <= positions
  }
}
