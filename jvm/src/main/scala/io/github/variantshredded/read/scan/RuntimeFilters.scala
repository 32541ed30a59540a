package io.github.variantshredded.read.scan

import io.github.variantshredded.spark.Conjunction
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * Translates the filters that Spark passes at run time: those of dynamic partition pruning, and from
 * Spark 4.2 on predicates with the results of scalar subqueries.
 */
private[variantshredded] object RuntimeFilters {

  /**
   * Returns the predicates as expressions on the columns of `schema`. Predicates other than
   * comparisons of a column with a literal, `IN`, `AND` and `OR` are ignored; the result stays
   * correct because pruning only saves work.
   */
  private[read] def apply(predicates: Seq[Predicate], schema: StructType): Seq[Expression] =
    predicates
      .flatMap(V2ExpressionUtils.toCatalyst(_))
      .flatMap(Conjunction.split)
      .map(onColumns(_, schema))
      .filter(predicate => predicate.resolved && !predicate.exists(!isTaken(_)))
      .map(_.transform { case In(column: AttributeReference, values) => isOneOf(column, values) })

  /** Returns the predicate on the columns, whose names a query may write in another case. */
  private def onColumns(predicate: Expression, schema: StructType): Expression =
    predicate.transform { case name: UnresolvedAttribute =>
      schema
        .find(field => name.nameParts.corresponds(Seq(field.name))(SQLConf.get.resolver))
        .fold[Expression](name)(field => AttributeReference(field.name, field.dataType)())
    }

  /**
   * Returns whether an expression is taken in such a predicate. Others can raise errors, for
   * partitions that another predicate leaves out.
   */
  def isTaken(expression: Expression): Boolean = expression match {
    case _: BinaryComparison | _: In | _: And | _: Or => true
    case _: AttributeReference | _: Literal           => true
    case _                                            => false
  }

  /**
   * Returns a predicate in the form that Spark's optimizer gives it: an `InSet` finds one of many
   * values by a single look-up.
   */
  private def isOneOf(column: AttributeReference, values: Seq[Expression]): Expression = {
    val literals = values.collect { case literal: Literal => literal.value }
    val isMany = literals.size > SQLConf.get.optimizerInSetConversionThreshold
    if (isMany && literals.size == values.size) InSet(column, literals.toSet)
    else In(column, values)
  }
}
