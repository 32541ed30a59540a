package io.github.variantshredded.replace

import java.util.function.UnaryOperator

import io.github.variantshredded.variant.VariantJson
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.VariantVal

/**
 * Computes `to_json` of a Variant by `VariantJson`, with the same text as Spark's.
 *
 * @param writer
 *   function from VariantVal to UTF8String
 */
final case class VariantToJson(child: Expression, dataType: DataType, writer: VariantToJson.Writer)
    extends UnaryExpression {

  override def nullIntolerant: Boolean = true

  override def prettyName: String = "to_json"

  override protected def nullSafeEval(input: Any): Any = writer(input.asInstanceOf[AnyRef])

  // Passed as an object of a JDK interface, for the reason in ValueOrError.
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val write = ctx.addReferenceObj("toJson", writer, classOf[UnaryOperator[_]].getName)
    defineCodeGen(ctx, ev, input => s"(UTF8String) $write.apply($input)")
  }

  override protected def withNewChildInternal(newChild: Expression): VariantToJson =
    copy(child = newChild)
}

object VariantToJson {

  /** @param zone time zone of timestamps */
  final case class Writer(zone: String) extends UnaryOperator[AnyRef] {

    @transient private lazy val json = new VariantJson(DateTimeUtils.getZoneId(zone))

    override def apply(input: AnyRef): AnyRef = {
      val variant = input.asInstanceOf[VariantVal]
      json.write(variant.getValue, variant.getMetadata)
    }
  }
}
