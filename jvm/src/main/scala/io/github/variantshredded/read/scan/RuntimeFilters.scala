package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  In,
  InSet,
  Literal
}
import org.apache.spark.sql.connector.expressions.{Literal => ConnectorLiteral, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.internal.SQLConf
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
            isOneOf(AttributeReference(field.name, field.dataType)(), values.toSeq)
          }
        case _ => None
      }
    case _ => None
  }

  /**
   * Returns a predicate in the form that Spark's optimizer gives it: Hive's metastore takes a range
   * in the place of an `InSet` of many values, and a disjunction of all values for an `In`.
   */
  private def isOneOf(column: AttributeReference, values: Seq[Literal]): Expression =
    if (values.size <= SQLConf.get.optimizerInSetConversionThreshold) In(column, values)
    else InSet(column, values.map(_.value).toSet)
}
