package io.github.variantshredded.predicate

import org.apache.spark.sql.types.DataType

/** Identifies a value that a predicate tests. */
sealed trait Operand extends Product with Serializable {
  def dataType: DataType
}

object Operand {

  /**
   * Represents an ordinary column, or a field of structs in a column.
   *
   * @param path
   *   name of the column in `Conjunct.columns`, followed by the names of the fields
   */
  final case class Column(path: Seq[String], dataType: DataType) extends Operand

  /**
   * Represents the result of an extraction.
   *
   * @param index
   *   index in `Conjunct.extractions`
   */
  final case class OfVariant(index: Int, dataType: DataType) extends Operand
}
