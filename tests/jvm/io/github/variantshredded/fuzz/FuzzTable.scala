package io.github.variantshredded.fuzz

import io.github.variantshredded.testing.VariantTree
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * The rows of a table that queries are asked of, and what to know to ask them.
 *
 * @param name
 *   how queries call it
 * @param schema
 *   of the rows; `id` differs in all rows of all tables of a round
 * @param variants
 *   where Variants are, with the values there
 * @param ordinary
 *   the other columns and fields, with some of their values as SQL
 * @param partition
 *   the column by which directories are named
 * @param negativeZeros
 *   whether -0.0 is among the values, so that the least or greatest one is not determined
 */
final case class FuzzTable(
    name: String,
    schema: StructType,
    rows: Vector[Row],
    variants: Vector[NamedVariant],
    ordinary: Vector[NamedColumn],
    partition: Option[String],
    negativeZeros: Boolean
)

/**
 * A Variant that a query can name, and the values that it has in some rows.
 *
 * @param sql
 *   SQL with `@` where the alias of the table belongs
 * @param column
 *   how options of writing call it
 */
final case class NamedVariant(sql: String, column: String, samples: Vector[VariantTree]) {
  def in(alias: String): NamedVariant = copy(sql = sql.replace("@", s"$alias."))
}

/** A column without Variants, or a field of one; `sql` as that of a [[NamedVariant]]. */
final case class NamedColumn(sql: String, dataType: DataType, literals: Vector[String]) {
  def in(alias: String): NamedColumn = copy(sql = sql.replace("@", s"$alias."))
}
