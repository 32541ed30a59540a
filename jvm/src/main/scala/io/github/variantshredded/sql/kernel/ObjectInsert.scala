package io.github.variantshredded.sql.kernel

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** Adds a field to an object; the field is left out if its value is SQL NULL. */
private[sql] final case class ObjectInsert(function: String) extends ObjectKernel {
  @transient private lazy val assembly = new VariantAssembly

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    val key = nameArgument(values(1))
    val added = values(2).asInstanceOf[VariantVal]
    val update = values(3).asInstanceOf[java.lang.Boolean]
    if (variant == null || key == null || update == null) null
    else if (!arguments.obj(variant, cursor)) null
    else insert(variant, key, added, update)
  }

  private def insert(
      variant: VariantVal,
      key: UTF8String,
      added: VariantVal,
      update: Boolean
  ): VariantVal = {
    val dictionary = arguments.dictionary(variant)
    val utf8 = encoded(key)
    val existing = cursor.indexOf(dictionary, utf8)
    if (existing >= 0 && !update)
      throw VariantShreddedErrors.functionArgument(
        function,
        s"finds the field '$key' in the object already; give true as a fourth argument to replace it"
      )
    assembly.reset()
    assembly.encoder.beginObject()
    var i = 0
    while (i < cursor.numFields) {
      if (i != existing) {
        assembly.field(dictionary, cursor.fieldId(i))
        assembly.add(dictionary, variant.getValue, cursor.fieldPos(i), cursor.end)
      }
      i += 1
    }
    if (added != null) {
      assembly.field(utf8)
      assembly.addWhole(arguments, added)
    }
    assembly.endObject()
    assembly.result()
  }
}
