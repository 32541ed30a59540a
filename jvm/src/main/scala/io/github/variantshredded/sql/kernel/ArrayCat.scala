package io.github.variantshredded.sql.kernel

import org.apache.spark.unsafe.types.VariantVal

/** Concatenates arrays; null if one of them is NULL or a Variant null. */
private[sql] final case class ArrayCat(function: String) extends ArrayKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    begin()
    var i = 0
    while (i < values.length && added(values(i).asInstanceOf[VariantVal])) i += 1
    if (i < values.length) null else end()
  }

  private def added(variant: VariantVal): Boolean = {
    val isArray = variant != null && open(variant)
    if (isArray) addElements(0, cursor.numElements)
    isArray
  }
}
