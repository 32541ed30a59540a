package io.github.variantshredded.replace

import scala.collection.mutable

import org.apache.spark.sql.types.{ArrayType, DataType, NullType, StructType, VariantType}

/** Creates [[CoveredSchema]]s; one instance serves one thread. */
private[variantshredded] final class CoveredSchemas {
  import CoveredSchema._

  private val scalars = mutable.HashMap.empty[DataType, CoveredScalars]
  private val numbers = mutable.HashMap.empty[String, Int]

  /** Returns the number of names that have a number: the field names of all schemas so far. */
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
