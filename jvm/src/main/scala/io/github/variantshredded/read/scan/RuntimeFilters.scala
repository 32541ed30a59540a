package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.connector.expressions.{Expression => ConnectorExpression}
import org.apache.spark.sql.connector.expressions.{Literal => ConnectorLiteral, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * Translates the filters on partition columns that Spark passes at run time: those of dynamic
 * partition pruning, and from Spark 4.2 on predicates with the results of scalar subqueries.
 */
private[read] object RuntimeFilters {

  /**
   * Returns the predicates as expressions on the columns of `schema`. Predicates other than
   * comparisons of a column with a literal, `IN`, `AND` and `OR` are ignored; the result stays
   * correct because pruning only saves work.
   */
  def apply(predicates: Seq[Predicate], schema: StructType): Seq[Expression] =
    predicates.flatMap(translated(_, schema))

  private def translated(predicate: ConnectorExpression, schema: StructType): Option[Expression] =
    predicate match {
      case predicate: Predicate =>
        (predicate.name, predicate.children.toSeq) match {
          case ("AND", Seq(a, b)) =>
            Seq(a, b).flatMap(translated(_, schema)).reduceOption(And)
          case ("OR", Seq(a, b)) =>
            translated(a, schema).zip(translated(b, schema)).map { case (left, right) =>
              Or(left, right)
            }
          case ("IN", column +: values) =>
            val literals = values.flatMap(literal)
            columnOf(column, schema)
              .filter(_ => literals.length == values.length)
              .map(isOneOf(_, literals))
          case (name, Seq(a, b)) =>
            operand(a, schema).zip(operand(b, schema)).flatMap { case (left, right) =>
              if (left.dataType == right.dataType) comparison(name, left, right) else None
            }
          case _ => None
        }
      case _ => None
    }

  private def comparison(name: String, left: Expression, right: Expression): Option[Expression] =
    name match {
      case "="   => Some(EqualTo(left, right))
      case "<=>" => Some(EqualNullSafe(left, right))
      case "<"   => Some(LessThan(left, right))
      case "<="  => Some(LessThanOrEqual(left, right))
      case ">"   => Some(GreaterThan(left, right))
      case ">="  => Some(GreaterThanOrEqual(left, right))
      case _     => None
    }

  private def operand(expression: ConnectorExpression, schema: StructType): Option[Expression] =
    columnOf(expression, schema).orElse(literal(expression))

  private def literal(expression: ConnectorExpression): Option[Literal] = expression match {
    case value: ConnectorLiteral[_] => Some(Literal(value.value, value.dataType))
    case _                          => None
  }

  /** Returns the column of a reference, whose name a query may write in another case. */
  private def columnOf(
      expression: ConnectorExpression,
      schema: StructType
  ): Option[AttributeReference] = expression match {
    case reference: NamedReference if reference.fieldNames.length == 1 =>
      schema
        .find(field => SQLConf.get.resolver(field.name, reference.fieldNames.head))
        .map(field => AttributeReference(field.name, field.dataType)())
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
