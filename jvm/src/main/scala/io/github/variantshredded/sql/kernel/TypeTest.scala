package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.{VariantConstants, VariantReader}
import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.unsafe.types.VariantVal

/**
 * Tests whether a Variant has one of several types.
 *
 * @param types
 *   a bit for each [[VariantReader.kind]]; see [[TypeTest.of]]
 */
private[sql] final case class TypeTest(types: Int) extends VariantKernel {
  override def fresh: VariantKernel = copy()

  override def apply(arguments: Array[AnyRef]): AnyRef = {
    val variant = arguments(0).asInstanceOf[VariantVal]
    if (variant == null) null
    else java.lang.Boolean.valueOf((types & TypeTest.bit(VariantArguments.kind(variant))) != 0)
  }
}

private[sql] object TypeTest {

  /** Returns the test for these kinds. */
  def of(kinds: Int*): TypeTest = TypeTest(kinds.map(bit).reduce(_ | _))

  // Objects and arrays are 64 and 65, behind the 21 primitive types.
  private def bit(kind: Int): Int =
    1 << (if (kind >= VariantReader.ObjectKind) kind - VariantReader.ObjectKind + 30 else kind)

  /** The test for all types but that of the Variant null. */
  val NotNull: TypeTest = TypeTest(~bit(VariantConstants.Null))

  val Integers: Seq[Int] = Seq(Int8, Int16, Int32, Int64)
  val Decimals: Seq[Int] = Seq(Decimal4, Decimal8, Decimal16)
  val Floats: Seq[Int] = Seq(VariantConstants.Float, VariantConstants.Double)
}
