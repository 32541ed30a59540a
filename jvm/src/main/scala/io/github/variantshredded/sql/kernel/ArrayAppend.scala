package io.github.variantshredded.sql.kernel

import org.apache.spark.unsafe.types.VariantVal

/** Appends a value to an array. */
private[sql] final case class ArrayAppend(function: String) extends ArrayChange(positions = 0) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    addElements(0, size)
    addValue(values(1).asInstanceOf[VariantVal])
  }
}
