package io.github.variantshredded.extraction

import java.util.function.ObjIntConsumer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.DataType

/**
 * Replaces an extraction in a plan. It returns the value that the scan delivers, or throws the error
 * of the cast here, where the query evaluates the extraction.
 *
 * @param value
 *   column of the values; null if the cast failed
 * @param errors
 *   column of the errors of a row's extractions; null in rows without errors
 * @param index
 *   number of this extraction, for [[ExtractionErrors.raise]]
 */
final case class ValueOrError(value: Expression, errors: Expression, index: Int)
    extends BinaryExpression {

  override def left: Expression = value

  override def right: Expression = errors

  override def dataType: DataType = value.dataType

  override def nullable: Boolean = true

  override def foldable: Boolean = false

  // The column of errors is mostly null, and this does not make the result null.
  override def nullIntolerant: Boolean = false

  override def eval(row: InternalRow): Any = {
    val failed = errors.eval(row)
    if (failed != null) ExtractionErrors.raise(failed.asInstanceOf[ArrayData].toByteArray(), index)
    value.eval(row)
  }

  // The class loader that compiles generated code may not know this JAR, so the code calls an
  // object of a JDK interface.
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val raise = ctx.addReferenceObj("raise", RaiseError, classOf[ObjIntConsumer[_]].getName)
    val errorsCode = errors.genCode(ctx)
    val valueCode = value.genCode(ctx)
    ev.copy(
      code = code"""
        ${errorsCode.code}
        if (!${errorsCode.isNull}) {
          $raise.accept(${errorsCode.value}, $index);
        }
        ${valueCode.code}
      """,
      isNull = valueCode.isNull,
      value = valueCode.value
    )
  }

  override def prettyName: String = "extracted"

  override def toString: String = value.toString

  override def sql: String = value.sql

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): ValueOrError = copy(value = newLeft, errors = newRight)
}

/** Raises the error of one extraction in generated code. */
private object RaiseError extends ObjIntConsumer[ArrayData] with Serializable {
  override def accept(errors: ArrayData, index: Int): Unit =
    ExtractionErrors.raise(errors.toByteArray(), index)
  private def readResolve(): AnyRef = RaiseError
}
