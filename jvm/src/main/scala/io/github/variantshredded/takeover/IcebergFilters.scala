package io.github.variantshredded.takeover

import scala.util.Try

import org.apache.iceberg.Schema
import org.apache.iceberg.expressions.{Binder, Expression => IcebergExpression, Expressions}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.connector.expressions.filter.Predicate

/**
 * Translates Spark's predicates to those of Iceberg, which chooses files by them. Iceberg
 * translates them; its classes for Spark are not on the class path of this source, so they are
 * called by name.
 */
private[takeover] object IcebergFilters {

  private final val Translator = "org.apache.iceberg.spark.SparkV2Filters"

  /** Returns a predicate that all rows meet that meet `filters`. */
  def apply(
      filters: Seq[Expression],
      schema: Schema,
      caseSensitive: Boolean
  ): IcebergExpression = {
    val convert = ByName.loaded(Translator).getMethod("convert", classOf[Predicate])
    filters
      .filter(_.deterministic)
      .flatMap(filter =>
        Try(new V2ExpressionBuilder(filter, true).buildPredicate()).toOption.flatten
      )
      .flatMap(predicate => Try(convert.invoke(null, predicate)).toOption)
      .collect { case filter: IcebergExpression => filter }
      .filter(filter => Try(Binder.bind(schema.asStruct, filter, caseSensitive)).isSuccess)
      .foldLeft[IcebergExpression](Expressions.alwaysTrue)(Expressions.and(_, _))
  }
}
