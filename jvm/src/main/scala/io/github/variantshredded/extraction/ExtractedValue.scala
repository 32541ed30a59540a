package io.github.variantshredded.extraction

import java.util.function.{ObjIntConsumer, UnaryOperator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodeGenerator, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.DataType

/**
 * Stands in a plan where an extraction stood: the value that the scan delivers, or the error that
 * its cast met, raised here and not earlier.
 *
 * @param value
 *   column of the values; null where the cast failed
 * @param errors
 *   column of the errors of a row's extractions; null in rows without
 * @param index
 *   which of the extractions this is, for [[ExtractionErrors.raise]]
 */
final case class ExtractedValue(value: Expression, errors: Expression, index: Int)
    extends BinaryExpression {

  override def left: Expression = value

  override def right: Expression = errors

  override def dataType: DataType = value.dataType

  override def nullable: Boolean = true

  override def foldable: Boolean = false

  // Null errors are the rule, not a reason to be null.
  override def nullIntolerant: Boolean = false

  override def eval(row: InternalRow): Any = {
    val failed = errors.eval(row)
    if (failed != null) ExtractionErrors.raise(failed.asInstanceOf[ArrayData].toByteArray(), index)
    value.eval(row)
  }

  // Generated code may be compiled by a class loader that does not know this JAR: it gets the call
  // as an object of a JDK interface.
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
  ): ExtractedValue = copy(value = newLeft, errors = newRight)
}

/**
 * The error of one extraction alone, under index 0: for operators such as UNION, in which columns of
 * several scans become one.
 */
final case class ErrorOf(errors: Expression, index: Int) extends UnaryExpression {

  override def child: Expression = errors

  override def dataType: DataType = ExtractionErrors.ColumnType

  override def nullable: Boolean = true

  override def foldable: Boolean = false

  override def eval(row: InternalRow): Any =
    errors.eval(row) match {
      case bytes: ArrayData => ErrorOf.select(bytes, index)
      case _                => null
    }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val select =
      ctx.addReferenceObj("select", new SelectError(index), classOf[UnaryOperator[_]].getName)
    val errorsCode = errors.genCode(ctx)
    val bytes = CodeGenerator.javaType(dataType)
    ev.copy(code = code"""
        ${errorsCode.code}
        $bytes ${ev.value} = null;
        if (!${errorsCode.isNull}) {
          ${ev.value} = ($bytes) $select.apply(${errorsCode.value});
        }
        boolean ${ev.isNull} = ${ev.value} == null;
      """)
  }

  override def prettyName: String = "error_of"

  override protected def withNewChildInternal(newChild: Expression): ErrorOf =
    copy(errors = newChild)
}

private[variantshredded] object ErrorOf {
  def select(errors: ArrayData, index: Int): ArrayData = {
    val selected = ExtractionErrors.select(errors.toByteArray(), index)
    if (selected == null) null else ArrayData.toArrayData(selected)
  }
}

private object RaiseError extends ObjIntConsumer[ArrayData] with Serializable {
  override def accept(errors: ArrayData, index: Int): Unit =
    ExtractionErrors.raise(errors.toByteArray(), index)
  private def readResolve(): AnyRef = RaiseError
}

private final class SelectError(index: Int) extends UnaryOperator[ArrayData] with Serializable {
  override def apply(errors: ArrayData): ArrayData = ErrorOf.select(errors, index)
}
