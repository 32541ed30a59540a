package io.github.variantshredded.fuzz

import org.apache.spark.sql.types._

/**
 * What the expressions of a query or subquery can name.
 *
 * @param keys
 *   columns that tell all rows apart
 * @param anyCase
 *   whether the query may write names in another case
 */
final case class Scope(
    variants: Vector[NamedVariant],
    ordinary: Vector[NamedColumn],
    keys: Vector[String],
    negativeZeros: Boolean,
    anyCase: Boolean = false
) {
  def ++(other: Scope): Scope = Scope(
    variants ++ other.variants,
    ordinary ++ other.ordinary,
    keys ++ other.keys,
    negativeZeros || other.negativeZeros,
    anyCase && other.anyCase
  )

  def in(alias: String): Scope = copy(
    variants = variants.map(_.in(alias)),
    ordinary = ordinary.map(_.in(alias)),
    keys = keys.map(_.replace("@", s"$alias."))
  )
}

object Scope {
  def of(table: FuzzTable, anyCase: Boolean): Scope =
    Scope(table.variants, table.ordinary, Vector("@id"), table.negativeZeros, anyCase)
}

/**
 * An expression of a query.
 *
 * @param literals
 *   constants of its type, if possible such as it has in some rows
 */
final case class Term(sql: String, dataType: DataType, literals: () => Vector[String]) {

  def isOrderable: Boolean = Term.all(dataType) {
    case VariantType | _: MapType => false
    case _                        => true
  }

  def hasFloats: Boolean = !Term.all(dataType)(t => t != FloatType && t != DoubleType)
}

object Term {

  /** Whether `holds` is true for a type and all types in it. */
  private def all(dataType: DataType)(holds: DataType => Boolean): Boolean =
    holds(dataType) && (dataType match {
      case ArrayType(element, _)  => all(element)(holds)
      case MapType(key, value, _) => all(key)(holds) && all(value)(holds)
      case StructType(fields)     => fields.forall(field => all(field.dataType)(holds))
      case _                      => true
    })
}
