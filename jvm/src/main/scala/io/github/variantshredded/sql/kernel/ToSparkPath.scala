package io.github.variantshredded.sql.kernel

import org.apache.spark.unsafe.types.UTF8String

/** Applies [[DocumentPath.toSpark]] to a string. */
private[sql] final case class ToSparkPath(function: String) extends VariantKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef =
    if (values(0) == null) null
    else UTF8String.fromString(DocumentPath.toSpark(function, values(0).toString))
}
