package io.github.variantshredded.sql.kernel

/** Returns a Variant that passes a test, and NULL for others. */
private[sql] final case class OnlyTypes(test: TypeTest) extends VariantKernel {
  override def fresh: VariantKernel = copy()

  override def apply(arguments: Array[AnyRef]): AnyRef =
    if (java.lang.Boolean.TRUE == test(arguments)) arguments(0) else null
}
