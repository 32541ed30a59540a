package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Returns the field of an object with this name or, if there is none, the first field in the
 * object's order whose name differs only in case; null if there is none, or if the value is no
 * object.
 */
private[sql] final case class GetIgnoreCase(function: String) extends ObjectKernel {
  @transient private lazy val sought = new SoughtName

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    val key = nameArgument(values(1))
    if (variant == null || key == null || !arguments.maybeObject(variant, cursor)) null
    else {
      sought.set(key)
      val dictionary = arguments.dictionary(variant)
      val same = cursor.indexOf(dictionary, sought.utf8)
      val found = if (same >= 0) same else similar(dictionary)
      if (found < 0) null
      else VariantArguments.child(variant, cursor.fieldPos(found), cursor.end)
    }
  }

  // Names are compared in lower case only if there is no equal name.
  private def similar(dictionary: MetadataDictionary): Int = {
    var i = 0
    while (i < cursor.numFields && name(dictionary, i).toLowerCase != sought.lowerCase) i += 1
    if (i < cursor.numFields) i else -1
  }
}

/** Keeps the forms of the last name that was searched for: most queries search for one name. */
private final class SoughtName {
  private var name: UTF8String = _

  /** The bytes of the name. */
  var utf8: Array[Byte] = _

  /** The name in lower case. */
  var lowerCase: UTF8String = _

  /** Sets the name; computes its forms if it differs from the name before. */
  def set(key: UTF8String): Unit =
    if (key != name) {
      name = key.copy()
      utf8 = name.getBytes
      lowerCase = name.toLowerCase
    }
}
