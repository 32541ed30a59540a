package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Identifies a Variant in the input of an operator: a column, or a field of structs in a column.
 *
 * @param attribute
 *   the column
 * @param fields
 *   positions of the fields from the column to the Variant; none if the column is the Variant.
 *   Operators such as UNION have columns of structs whose fields have other names below.
 */
private[variantshredded] final case class PlanVariant(attribute: ExprId, fields: Seq[Int]) {

  /** Returns the names of the fields in the type of the column, or None if it lacks one of them. */
  def names(column: DataType): Option[Seq[String]] = (fields, column) match {
    case (Nil, _)                                                      => Some(Nil)
    case (index +: inner, struct: StructType) if index < struct.length =>
      val field = struct(index)
      copy(fields = inner).names(field.dataType).map(field.name +: _)
    case _ => None
  }
}
