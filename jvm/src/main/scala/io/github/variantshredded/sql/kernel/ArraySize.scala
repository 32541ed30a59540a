package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.{ArrayCursor, VariantReader}
import org.apache.spark.unsafe.types.VariantVal

/** Returns the number of elements of an array; null for any other value. */
private[sql] final case class ArraySize() extends VariantKernel {
  @transient private lazy val cursor = new ArrayCursor

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (variant == null || VariantArguments.kind(variant) != VariantReader.ArrayKind) null
    else Integer.valueOf(cursor.reset(variant.getValue, 0, variant.getValue.length).numElements)
  }
}
