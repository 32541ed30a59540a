package io.github.variantshredded.replace

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.catalyst.trees.TreePattern.CAST
import org.apache.spark.sql.types.{StringType, VariantType}

/** Replaces casts of Variants to `STRING` that no scan delivers by [[VariantToString]]. */
object ReplaceCastToString extends ReplacementRule(CAST) {

  override protected def replacement: PartialFunction[Expression, Expression] = {
    case cast: Cast if cast.child.dataType == VariantType && cast.dataType == StringType =>
      val writer = VariantToString.Writer(cast.evalMode != EvalMode.TRY, cast.timeZoneId)
      VariantToString(cast.child, writer)
  }
}
