package io.github.variantshredded.sql.kernel

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Builds an object of alternating keys and values. A pair whose key is NULL or a Variant null is
 * left out. A pair with the value NULL is left out too, unless `keepNull`, which makes the value a
 * Variant null.
 */
private[sql] final case class ObjectConstruct(function: String, keepNull: Boolean)
    extends ObjectKernel {
  @transient private lazy val assembly = new VariantAssembly

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    assembly.reset()
    assembly.encoder.beginObject()
    var i = 0
    while (i < values.length) {
      values(i) = nameArgument(values(i))
      val value = values(i + 1).asInstanceOf[VariantVal]
      if (isKept(values, i)) {
        assembly.field(unique(values, i))
        if (value == null) assembly.encoder.writeNull() else assembly.addWhole(arguments, value)
      }
      i += 2
    }
    assembly.endObject()
    assembly.result()
  }

  private def isKept(values: Array[AnyRef], i: Int): Boolean =
    values(i) != null && (values(i + 1) != null || keepNull)

  private def unique(values: Array[AnyRef], i: Int): Array[Byte] = {
    val key = values(i).asInstanceOf[UTF8String]
    var before = 0
    while (before < i) {
      if (isKept(values, before) && values(before) == key)
        throw VariantShreddedErrors.functionArgument(function, s"gets the field '$key' twice")
      before += 2
    }
    encoded(key)
  }
}
