package io.github.variantshredded.replace

import scala.util.control.NonFatal

import io.github.variantshredded.variant.ValueHeader
import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariant
import org.apache.spark.sql.types.{DataType, DecimalType}
import org.apache.spark.types.variant.Variant

/** Tells which primitives leave `schema` unchanged. */
private[replace] final class CoveredScalars(schema: DataType) {
  import CoveredScalars._

  // By the id of the type.
  private val held: Array[Boolean] = Types.map(_.exists(isHeld))

  // By precision and scale; 0 if not yet computed.
  private lazy val decimals = new Array[Byte](Decimals * Decimals)

  def holds(id: Int): Boolean = id < held.length && held(id)

  def holdsDecimal(precision: Int, scale: Int): Boolean = {
    val at = precision * Decimals + scale
    if (decimals(at) == 0) decimals(at) = if (isHeld(DecimalType(precision, scale))) Yes else No
    decimals(at) == Yes
  }

  private def isHeld(other: DataType): Boolean =
    SchemaOfVariant.mergeSchema(schema, other) == schema
}

private[replace] object CoveredScalars {
  private final val Decimals = DecimalType.MAX_PRECISION + 1
  private final val Yes: Byte = 1
  private final val No: Byte = 2

  /** Spark's type for each primitive, if there is one; decimals are compared by value. */
  private val Types: Array[Option[DataType]] = Array.tabulate(64) { id =>
    if (id >= Decimal4 && id <= Decimal16) None
    else {
      val value = new Array[Byte](32)
      value(0) = ValueHeader.ofPrimitive(id).toByte
      try Some(SchemaOfVariant.schemaOf(new Variant(value, Array[Byte](1, 0, 0))))
      catch { case NonFatal(_) => None }
    }
  }
}
