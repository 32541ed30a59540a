package io.github.variantshredded.replace

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.json.StructsToJsonEvaluator
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.trees.TreePattern.INVOKE
import org.apache.spark.sql.types.{DataType, VariantType}

/** Replaces `to_json` of a Variant, if it has no options, by [[VariantToJson]]. */
object ReplaceToJson extends ReplacementRule(INVOKE) {

  override protected def replacement: PartialFunction[Expression, Expression] = {
    case ToJson(child, dataType, zone) =>
      VariantToJson(child, dataType, VariantToJson.Writer(zone))
  }

  private object ToJson {
    def unapply(expression: Expression): Option[(Expression, DataType, String)] =
      expression match {
        case invoke: Invoke =>
          (invoke.targetObject, invoke.arguments) match {
            case (Literal(evaluator: StructsToJsonEvaluator, _), Seq(child))
                if evaluator.inputSchema == VariantType && evaluator.options.isEmpty =>
              evaluator.timeZoneId.map((child, invoke.dataType, _))
            case _ => None
          }
        case _ => None
      }
  }
}
