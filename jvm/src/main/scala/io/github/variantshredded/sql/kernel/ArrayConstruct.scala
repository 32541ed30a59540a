package io.github.variantshredded.sql.kernel

import org.apache.spark.unsafe.types.VariantVal

/** Returns an array of values; NULL becomes a Variant null, or is left out if `compact`. */
private[sql] final case class ArrayConstruct(function: String, compact: Boolean)
    extends ArrayKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    begin()
    var i = 0
    while (i < values.length) {
      val value = values(i).asInstanceOf[VariantVal]
      if (value != null || !compact) addValue(value)
      i += 1
    }
    end()
  }
}
