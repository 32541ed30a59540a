package io.github.variantshredded.sql

import java.util.function.{Function => JFunction}

import io.github.variantshredded.sql.kernel.VariantKernel
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.DataTypeMismatch
import org.apache.spark.sql.catalyst.expressions.{Expression, ImplicitCastInputTypes, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodeGenerator, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{ArrayType, DataType, NullType, StringType, VariantType}

/**
 * Calls one of this project's SQL functions, as an expression.
 *
 * @param name
 *   name of the function, for plans and messages
 * @param parameters
 *   the types to which Spark casts the arguments implicitly; as many as `children`. An argument of
 *   type VARIANT must be one already, because Spark would cast a string to a Variant
 */
final case class VariantCall(
    name: String,
    kernel: VariantKernel,
    parameters: Seq[DataType],
    dataType: DataType,
    children: Seq[Expression]
) extends Expression
    with ImplicitCastInputTypes {

  // A Variant is not cast. A collation does not matter for a name or a path; Spark may give it to
  // an argument after the call was built, such as the default collation of a new table.
  override def inputTypes: Seq[DataType] = parameters.zip(children.map(_.dataType)).map {
    case (VariantType, given)                                            => given
    case (StringType, given: StringType)                                 => given
    case (ArrayType(StringType, _), given @ ArrayType(_: StringType, _)) => given
    case (parameter, _)                                                  => parameter
  }

  override def checkInputDataTypes(): TypeCheckResult = {
    val other = parameters.zip(children).indexWhere { case (parameter, child) =>
      parameter == VariantType && child.dataType != VariantType
    }
    if (other < 0) super.checkInputDataTypes()
    else
      DataTypeMismatch(
        "UNEXPECTED_INPUT_TYPE",
        Map(
          "paramIndex" -> s"${other + 1}",
          "requiredType" -> "\"VARIANT\"",
          "inputSql" -> s"\"${children(other).sql}\"",
          "inputType" -> s"\"${children(other).dataType.sql}\""
        )
      )
  }

  override def nullable: Boolean = true

  override def foldable: Boolean = children.forall(_.foldable)

  override def prettyName: String = name

  override protected def stringArgs: Iterator[Any] = children.iterator

  override def toString: String = children.mkString(s"$name(", ", ", ")")

  // Copies of an expression share `kernel`, and plans may share an expression.
  @transient private lazy val ownKernel = kernel.fresh

  override def eval(row: InternalRow): Any = {
    val arguments = new Array[AnyRef](children.length)
    var i = 0
    while (i < arguments.length) {
      arguments(i) = children(i).eval(row).asInstanceOf[AnyRef]
      i += 1
    }
    ownKernel.synchronized(ownKernel.apply(arguments))
  }

  // Passed as an object of a JDK interface: the class loader of generated code may not know the
  // class.
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val call = ctx.addReferenceObj("kernel", kernel.fresh, classOf[JFunction[_, _]].getName)
    val arguments = ctx.freshName("arguments")
    val result = ctx.freshName("result")
    val boxed = CodeGenerator.boxedType(dataType)
    val assignments = children.zipWithIndex.map { case (child, i) =>
      val code = child.genCode(ctx)
      val value =
        if (CodeGenerator.isPrimitiveType(child.dataType))
          s"${CodeGenerator.boxedType(child.dataType)}.valueOf(${code.value})"
        else s"${code.value}"
      s"""
         |${code.code}
         |if (!${code.isNull}) $arguments[$i] = $value;
       """.stripMargin
    }
    val split = ctx.splitExpressionsWithCurrentInputs(
      assignments,
      "arguments",
      Seq("Object[]" -> arguments)
    )
    ev.copy(code = code"""
      Object[] $arguments = new Object[${children.length}];
      $split
      Object $result = $call.apply($arguments);
      boolean ${ev.isNull} = $result == null;
      ${CodeGenerator.javaType(dataType)} ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
      if (!${ev.isNull}) ${ev.value} = ($boxed) $result;
    """)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): VariantCall =
    copy(children = newChildren)
}

private[sql] object VariantCall {

  /**
   * Returns a call whose arguments have the types of its parameters. Spark's implicit casts do not
   * give a type to a NULL without one.
   */
  def of(
      name: String,
      kernel: VariantKernel,
      parameters: Seq[DataType],
      dataType: DataType,
      arguments: Seq[Expression]
  ): VariantCall = {
    val children = arguments.zip(parameters).map { case (argument, parameter) =>
      if (argument.dataType == NullType) Literal(null, parameter) else argument
    }
    VariantCall(name, kernel, parameters, dataType, children)
  }
}
