package io.github.variantshredded.replace

import scala.collection.mutable
import scala.util.control.NonFatal

import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariant
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant

/**
 * Holds a merged schema, or a part of it, in a form that is compared with the bytes of a Variant:
 * it shows which values leave the schema unchanged when their schemas are merged into it.
 *
 * @param kind
 *   one of the constants in the companion
 * @param names
 *   for an object, the numbers of its fields' names, in the order of the fields
 * @param fields
 *   for an object, its fields
 * @param element
 *   for an array, its elements
 */
private[variantshredded] final class CoveredSchema(
    kind: Int,
    scalars: CoveredScalars,
    val names: Array[Int],
    val fields: Array[CoveredSchema],
    val element: CoveredSchema
) {
  import CoveredSchema._

  def isObject: Boolean = kind == ObjectKind
  def isArray: Boolean = kind == ArrayKind

  /** Returns whether every value leaves the schema unchanged. */
  def isVariant: Boolean = kind == VariantKind

  /**
   * Returns whether a primitive of the type `id`, which is no decimal, leaves the schema unchanged.
   */
  def holds(id: Int): Boolean = scalars.holds(id)

  def holdsDecimal(precision: Int, scale: Int): Boolean = scalars.holdsDecimal(precision, scale)
}

private[variantshredded] object CoveredSchema {
  final val ScalarKind = 0
  final val ObjectKind = 1
  final val ArrayKind = 2
  final val VariantKind = 3
}

/** Creates [[CoveredSchema]]s; one instance serves one thread. */
private[variantshredded] final class CoveredSchemas {
  import CoveredSchema._

  private val scalars = mutable.HashMap.empty[DataType, CoveredScalars]
  private val numbers = mutable.HashMap.empty[String, Int]

  /** Number of names that have a number: the field names of all schemas so far. */
  def nameCount: Int = numbers.size

  /** Returns the number of a field name, or -1. */
  def number(name: String): Int = numbers.getOrElse(name, -1)

  def of(schema: DataType): CoveredSchema = schema match {
    case StructType(fields) =>
      new CoveredSchema(
        ObjectKind,
        scalarsOf(StructType(Nil)),
        fields.map(field => numbers.getOrElseUpdate(field.name, numbers.size)),
        fields.map(field => of(field.dataType)),
        null
      )
    case ArrayType(element, _) =>
      new CoveredSchema(ArrayKind, scalarsOf(ArrayType(NullType)), null, null, of(element))
    case VariantType => new CoveredSchema(VariantKind, scalarsOf(VariantType), null, null, null)
    case other       => new CoveredSchema(ScalarKind, scalarsOf(other), null, null, null)
  }

  private def scalarsOf(schema: DataType): CoveredScalars =
    scalars.getOrElseUpdate(schema, new CoveredScalars(schema))
}

/** Tells which primitives leave `schema` unchanged. */
private final class CoveredScalars(schema: DataType) {
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

private object CoveredScalars {
  private final val Decimals = DecimalType.MAX_PRECISION + 1
  private final val Yes: Byte = 1
  private final val No: Byte = 2

  /** Spark's type for each primitive, if there is one; decimals are compared by value. */
  private val Types: Array[Option[DataType]] = Array.tabulate(64) { id =>
    if (id >= Decimal4 && id <= Decimal16) None
    else {
      val value = new Array[Byte](32)
      value(0) = (id << 2).toByte
      try Some(SchemaOfVariant.schemaOf(new Variant(value, Array[Byte](1, 0, 0))))
      catch { case NonFatal(_) => None }
    }
  }
}
