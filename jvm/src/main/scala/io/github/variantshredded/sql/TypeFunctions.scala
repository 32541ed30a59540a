package io.github.variantshredded.sql

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.sql.kernel.{OnlyTypes, TypeName, TypeTest}
import io.github.variantshredded.variant.{VariantConstants, VariantReader}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Expression,
  GetStructField,
  If,
  IsNull,
  Literal,
  NamedExpression
}
import org.apache.spark.sql.catalyst.expressions.variant.{IsVariantNull, VariantGet}
import org.apache.spark.sql.types._

/** Lists the functions that return the type of a value, or the value if it has a type. */
private[sql] object TypeFunctions {

  /** Returns all functions, each once. */
  def all: Seq[VariantFunction] = names ++ tests ++ casts

  // A name, the type of as_..., and the kinds of values that are of it.
  private final case class Tested(name: String, dataType: DataType, kinds: Seq[Int])

  private val decimal = TypeTest.Integers ++ TypeTest.Decimals

  private def tested: Seq[Tested] = {
    import VariantConstants.{Float => _, Double => _, _}
    import TypeTest.{Decimals, Floats}
    Seq(
      Tested("boolean", BooleanType, Seq(True, False)),
      Tested("integer", LongType, TypeTest.Integers),
      Tested("float", DoubleType, Decimals ++ Floats),
      Tested("double", DoubleType, decimal ++ Floats),
      Tested("real", DoubleType, decimal ++ Floats),
      Tested("string", StringType, Seq(LongString)),
      Tested("varchar", StringType, Seq(LongString)),
      Tested("char", StringType, Seq(LongString)),
      Tested("binary", BinaryType, Seq(Binary)),
      Tested("date", DateType, Seq(Date)),
      Tested("timestamp_ltz", TimestampType, Seq(TimestampMicros, TimestampNanos)),
      Tested("timestamp_ntz", TimestampNTZType, Seq(TimestampNtzMicros, TimestampNtzNanos)),
      Tested("array", VariantType, Seq(VariantReader.ArrayKind)),
      Tested("object", VariantType, Seq(VariantReader.ObjectKind))
    )
  }

  private def names = Seq(
    VariantFunction(
      "typeof",
      "v",
      "The name of the value's type, such as INTEGER.",
      { case args @ Seq(_) => typeName("vs_typeof", json = false, args) }
    ),
    VariantFunction(
      "json_typeof",
      "v",
      "The name of the value's type in JSON, such as number.",
      { case args @ Seq(_) => typeName("json_typeof", json = true, args) }
    )
  )

  private def typeName(name: String, json: Boolean, args: Seq[Expression]) =
    VariantCall.of(name, TypeName(json), Seq(VariantType), StringType, args)

  private def tests = tested.map(t => test(t.name, t.kinds)) :+
    test("decimal", decimal) :+
    VariantFunction(
      "is_null_value",
      "v",
      "Whether the value is a Variant null.",
      {
        case Seq(v) if isPath(v) =>
          If(IsNull(v), Literal(null, BooleanType), IsVariantNull(v))
        case Seq(v) => isOf("null_value", Seq(VariantConstants.Null), v)
      }
    )

  private def test(name: String, kinds: Seq[Int]) = VariantFunction(
    s"is_$name",
    "v",
    s"Whether the value is of the type $name.",
    { case Seq(v) => isOf(name, kinds, v) }
  )

  private def isOf(name: String, kinds: Seq[Int], v: Expression) =
    VariantCall.of(s"is_$name", TypeTest.of(kinds: _*), Seq(VariantType), BooleanType, Seq(v))

  // Nothing is converted: a value of another type becomes NULL.
  private def casts = tested.map { t =>
    VariantFunction(
      s"as_${t.name}",
      "v",
      s"The value as ${t.dataType.sql}, NULL if it is not of the type ${t.name}.",
      { case Seq(v) => asType(t, v) }
    )
  } :+ VariantFunction(
    "as_decimal",
    "v, precision, scale",
    "The value as DECIMAL(precision, scale), NULL if it is no integer or decimal.",
    { case Seq(v, precision, scale) =>
      asType(Tested("decimal", decimalType(constant(precision), constant(scale)), decimal), v)
    }
  )

  private def asType(t: Tested, v: Expression): Expression = {
    // The scan casts the values of other types too, and should make no errors of them that nobody
    // sees. Of the tested types, only numbers that a decimal cannot hold do not fit.
    val canFail = t.dataType.isInstanceOf[DecimalType]
    def value(variant: Expression) =
      if (t.dataType == VariantType) variant
      else VariantGet(variant, Literal("$"), t.dataType, failOnError = canFail)
    if (isPath(v)) If(isOf(t.name, t.kinds, v), value(v), Literal(null, t.dataType))
    else value(only(s"as_${t.name}", TypeTest.of(t.kinds: _*), v))
  }

  /**
   * Returns whether an argument may be computed twice: it is a column, a struct's field, or the
   * value at a constant path in one. Repeating any other argument would double nested calls at each
   * level.
   */
  def isPath(v: Expression): Boolean = v match {
    case Alias(value, _)       => isPath(value) // `v:a` has the name `a`
    case get: VariantGet       => get.path.foldable && isPath(get.child)
    case field: GetStructField => isPath(field.child)
    case call: NamedCall       => isPath(call.replacement)
    case column                => column.isInstanceOf[NamedExpression]
  }

  /**
   * Returns an expression for the Variant if it passes a test, else NULL. The argument is computed
   * once.
   */
  def only(name: String, test: TypeTest, v: Expression): Expression =
    VariantCall.of(name, OnlyTypes(test), Seq(VariantType), VariantType, Seq(v))

  private def decimalType(precision: Int, scale: Int) =
    if (
      precision >= 1 && precision <= DecimalType.MAX_PRECISION && scale >= 0 && scale <= precision
    )
      DecimalType(precision, scale)
    else
      throw VariantShreddedErrors.functionArgument(
        "as_decimal",
        s"cannot give a DECIMAL($precision, $scale)"
      )

  private def constant(argument: Expression): Int =
    (if (argument.foldable) argument.eval() else null) match {
      case number: Int => number
      case _           =>
        throw VariantShreddedErrors.functionArgument("as_decimal", "needs constant integers")
    }
}
