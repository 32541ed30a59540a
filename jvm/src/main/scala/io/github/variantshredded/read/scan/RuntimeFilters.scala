package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, In, Literal}
import org.apache.spark.sql.connector.expressions.{Literal => ConnectorLiteral, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.StructType

/** What a query finds out about partition columns while it runs (dynamic partition pruning). */
private[read] object RuntimeFilters {

  /**
   * The predicates as conditions on the columns of `schema`. Spark asks for `column IN (values)`;
   * whatever else there were is left out, as pruning is for speed only.
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
