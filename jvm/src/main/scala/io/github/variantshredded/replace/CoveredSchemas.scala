package io.github.variantshredded.replace

import java.util.{TreeSet => JTreeSet}

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

  def of(schema: DataType): CoveredSchema = of(schema, isInArray = false)

  private def of(schema: DataType, isInArray: Boolean): CoveredSchema = schema match {
    // Spark merges the elements of an array with each other first. It takes the field `a` of one
    // for the field `A` of another if both have as many fields. So no object is covered.
    case struct: StructType if isInArray && hasNamesInSeveralCases(struct) =>
      new CoveredSchema(ScalarKind, scalarsOf(StructType(Nil)), null, null, null)
    case StructType(fields) =>
      new CoveredSchema(
        ObjectKind,
        scalarsOf(StructType(Nil)),
        fields.map(field => numbers.getOrElseUpdate(field.name, numbers.size)),
        fields.map(field => of(field.dataType, isInArray)),
        null
      )
    case ArrayType(element, _) =>
      val elements = of(element, isInArray = true)
      new CoveredSchema(ArrayKind, scalarsOf(ArrayType(NullType)), null, null, elements)
    case VariantType => new CoveredSchema(VariantKind, scalarsOf(VariantType), null, null, null)
    case other       => new CoveredSchema(ScalarKind, scalarsOf(other), null, null, null)
  }

  private def hasNamesInSeveralCases(struct: StructType): Boolean = {
    val names = new JTreeSet[String](String.CASE_INSENSITIVE_ORDER)
    !struct.fieldNames.forall(names.add)
  }

  private def scalarsOf(schema: DataType): CoveredScalars =
    scalars.getOrElseUpdate(schema, new CoveredScalars(schema))
}
