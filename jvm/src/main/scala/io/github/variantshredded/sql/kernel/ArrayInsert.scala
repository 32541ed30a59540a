package io.github.variantshredded.sql.kernel

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.unsafe.types.VariantVal

/** Inserts a value before an index; Variant nulls fill a gap after the end of the array. */
private[sql] final case class ArrayInsert(function: String) extends ArrayChange(positions = 1) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    val asked = position(values, 1)
    val at = if (asked < 0) math.max(size + asked, 0) else asked
    if (at - size > ArrayInsert.MaxGap)
      throw VariantShreddedErrors.functionArgument(
        function,
        s"is to insert at $at, more than ${ArrayInsert.MaxGap} elements beyond its end"
      )
    addElements(0, math.min(at, size))
    var i = size
    while (i < at) {
      assembly.encoder.writeNull()
      i += 1
    }
    addValue(values(2).asInstanceOf[VariantVal])
    addElements(at, size)
  }
}

private[sql] object ArrayInsert {

  /** Most Variant nulls that fill a gap. */
  final val MaxGap = 100000
}
