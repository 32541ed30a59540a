package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, In, Literal}
import org.apache.spark.sql.connector.expressions.{Literal => ConnectorLiteral, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.StructType

/**
 * Translates the filters on partition columns that Spark passes at run time (dynamic partition
 * pruning).
 */
private[read] object RuntimeFilters {

  /**
   * Returns the predicates as expressions on the columns of `schema`. Spark passes `column IN
   * (values)`. Other predicates are ignored; the result stays correct because pruning only saves
   * work.
   */
  def apply(predicates: Seq[Predicate], schema: StructType): Seq[Expression] = predicates.flatMap {
    case in if in.name == "IN" =>
      val values = in.children.tail.collect { case value: ConnectorLiteral[_] =>
        Literal(value.value, value.dataType)
      }
      in.children.head match {
        case column: NamedReference if values.length == in.children.length - 1 =>
          schema.find(_.name == column.fieldNames.head).map { field =>
            In(AttributeReference(field.name, field.dataType)(), values.toSeq)
          }
        case _ => None
      }
    case _ => None
  }
}
