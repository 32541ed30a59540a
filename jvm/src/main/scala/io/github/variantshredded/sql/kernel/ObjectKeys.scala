package io.github.variantshredded.sql.kernel

import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.unsafe.types.VariantVal

/** Returns the names of an object's fields, in its order; null for any other value. */
private[sql] final case class ObjectKeys(function: String) extends ObjectKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (variant == null || !arguments.maybeObject(variant, cursor)) null
    else {
      val dictionary = arguments.dictionary(variant)
      val keys = new Array[Any](cursor.numFields)
      var i = 0
      while (i < keys.length) {
        keys(i) = name(dictionary, i)
        i += 1
      }
      new GenericArrayData(keys)
    }
  }
}
