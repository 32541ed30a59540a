package io.github.variantshredded.replace

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariantAgg
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE_EXPRESSION

/** Replaces `schema_of_variant_agg` by [[VariantSchemaAgg]]. */
object ReplaceSchemaOfVariantAgg extends ReplacementRule(AGGREGATE_EXPRESSION) {

  override protected def replacement: PartialFunction[Expression, Expression] = {
    case expression @ AggregateExpression(agg: SchemaOfVariantAgg, _, _, _, _) =>
      val ours = VariantSchemaAgg(
        agg.child,
        agg.dataType,
        agg.mutableAggBufferOffset,
        agg.inputAggBufferOffset
      )
      expression.withNewChildren(ours +: expression.children.tail)
  }
}
