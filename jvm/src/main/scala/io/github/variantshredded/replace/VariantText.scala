package io.github.variantshredded.replace

import java.util.function.UnaryOperator

import org.apache.spark.sql.catalyst.expressions.UnaryExpression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}

/** Writes a Variant as a string. */
abstract class VariantText extends UnaryExpression {

  /**
   * Returns a function from VariantVal to UTF8String. If the expression is nullable, the function
   * may return null, which is SQL NULL.
   */
  def writer: UnaryOperator[AnyRef]

  override def nullIntolerant: Boolean = true

  final override protected def nullSafeEval(input: Any): Any = writer(input.asInstanceOf[AnyRef])

  // Passed as an object of a JDK interface, for the reason in ValueOrError.
  final override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val write = ctx.addReferenceObj("writer", writer, classOf[UnaryOperator[_]].getName)
    val isNull = if (nullable) s"${ev.isNull} = ${ev.value} == null;" else ""
    nullSafeCodeGen(ctx, ev, input => s"${ev.value} = (UTF8String) $write.apply($input);\n$isNull")
  }
}
