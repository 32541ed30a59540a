package io.github.variantshredded.extraction

import java.util.function.UnaryOperator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodeGenerator, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.DataType

/**
 * Selects the error of one extraction and gives it the index 0, for operators such as UNION that
 * merge columns of several scans.
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

/** Selects the error of one extraction in generated code. */
private final class SelectError(index: Int) extends UnaryOperator[ArrayData] with Serializable {
  override def apply(errors: ArrayData): ArrayData = ErrorOf.select(errors, index)
}
