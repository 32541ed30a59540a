package io.github.variantshredded.predicate

import scala.util.Try

import io.github.variantshredded.predicate.Comparison._
import io.github.variantshredded.predicate.SkippingPredicate.{And => Both, Or => Either, _}
import io.github.variantshredded.predicate.ValueTest._
import org.apache.spark.sql.catalyst.expressions.{
  IsNaN => IsNaNExpression,
  IsNotNull => IsNotNullExpression,
  IsNull => IsNullExpression,
  StartsWith => StartsWithExpression,
  _
}
import org.apache.spark.sql.catalyst.util.{ArrayData, TypeUtils}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Translates predicates into the form that data skipping compares with statistics.
 *
 * @param operands
 *   the operands for which the columns in the predicates stand
 */
private[predicate] final class SkippingTranslator(operands: Map[ExprId, Operand]) {

  def of(predicate: Expression): SkippingPredicate = translate(predicate, holds = true, rowTests)

  /** Makes tests of the values in a predicate: values of rows, or of the elements of an array. */
  private trait Tests {

    /** Returns the maker of tests for an expression that is a stored value; None if it is not. */
    def test(value: Expression): Option[ValueTest => SkippingPredicate]

    /** Returns whether null can be distinguished from other values. */
    def knowsNulls: Boolean
  }

  private object rowTests extends Tests {
    override def test(value: Expression): Option[ValueTest => SkippingPredicate] =
      operand(value).map(found => Test(found, _))

    override def knowsNulls: Boolean = true
  }

  private final class ElementTests(array: Operand, element: NamedLambdaVariable) extends Tests {
    override def test(value: Expression): Option[ValueTest => SkippingPredicate] =
      fields(value).map(path => AnyElement(array, path, _))

    override def knowsNulls: Boolean = false

    private def fields(value: Expression): Option[Vector[Int]] = value match {
      case variable: NamedLambdaVariable if variable.exprId == element.exprId => Some(Vector())
      case GetStructField(struct, ordinal, _) => fields(struct).map(_ :+ ordinal)
      case _                                  => None
    }
  }

  private def operand(value: Expression): Option[Operand] = value match {
    case column: Attribute                  => operands.get(column.exprId)
    case GetStructField(struct, ordinal, _) =>
      (operand(struct), struct.dataType) match {
        case (Some(Operand.Column(path, _)), StructType(fields)) =>
          Some(Operand.Column(path :+ fields(ordinal).name, fields(ordinal).dataType))
        case _ => None
      }
    case _ => None
  }

  /**
   * Returns the rows for which `predicate` has the result `holds`.
   *
   * @param holds
   *   true for rows in which the predicate is true, false for rows in which it is false
   */
  private def translate(predicate: Expression, holds: Boolean, tests: Tests): SkippingPredicate =
    predicate match {
      case And(left, right) =>
        both(translate(left, holds, tests), translate(right, holds, tests), holds)
      case Or(left, right) =>
        both(translate(left, holds, tests), translate(right, holds, tests), !holds)
      case Not(child)                      => translate(child, !holds, tests)
      case Literal(value, _)               => if (value == holds) Unknown else Never
      case EqualTo(left, right)            => equal(left, right, holds, tests)
      case same: EqualNullSafe             => nullSafe(same.left, same.right, holds, tests)
      case LessThan(left, right)           => ordered(left, right, Less, holds, tests)
      case LessThanOrEqual(left, right)    => ordered(left, right, LessOrEqual, holds, tests)
      case GreaterThan(left, right)        => ordered(left, right, Greater, holds, tests)
      case GreaterThanOrEqual(left, right) => ordered(left, right, GreaterOrEqual, holds, tests)
      case In(value, Constants(literals))  => oneOf(value, literals, holds, tests)
      case InSet(value, literals)          => oneOf(value, literals.toSeq, holds, tests)
      case IsNullExpression(child)         => isNull(child, holds, tests)
      case IsNotNullExpression(child)      => isNull(child, !holds, tests)
      case IsNaNExpression(child) if holds =>
        tests.test(child).fold[SkippingPredicate](Unknown)(_(IsNaN))
      case StartsWithExpression(value, Constant(prefix: UTF8String)) if holds =>
        startsWith(value, prefix, tests)
      case Like(value, Constant(pattern: UTF8String), escape) if holds =>
        startsWith(value, LikePrefix(pattern, escape), tests)
      case ArrayExists(array, LambdaFunction(body, Seq(element: NamedLambdaVariable), _), _)
          if holds && tests.knowsNulls =>
        operand(array).fold[SkippingPredicate](Unknown) { found =>
          val ofElements = translate(body, holds = true, new ElementTests(found, element)) match {
            // No element passes, but the cast of the array may raise an error.
            case Never => Unknown
            case other => other
          }
          both(Test(found, IsNotNull), ofElements, and = true)
        }
      case ArrayContains(array, Constant(value)) if holds && tests.knowsNulls =>
        anyOf(array, Seq(value))
      case ArraysOverlap(array, Constant(values: ArrayData)) if holds && tests.knowsNulls =>
        anyOf(array, elements(array.dataType, values))
      case ArraysOverlap(Constant(values: ArrayData), array) if holds && tests.knowsNulls =>
        anyOf(array, elements(array.dataType, values))
      case flag if tests.test(flag).isDefined => tests.test(flag).get(OneOf(Vector(holds)))
      case other                              => notNull(other, tests)
    }

  private def both(
      left: SkippingPredicate,
      right: SkippingPredicate,
      and: Boolean
  ): SkippingPredicate =
    (left, right) match {
      case (Never, _) | (_, Never) if and => Never
      case (Unknown, other) if and        => other
      case (other, Unknown) if and        => other
      case _ if and                       => Both(left, right)
      case (Unknown, _) | (_, Unknown)    => Unknown
      case (Never, other)                 => other
      case (other, Never)                 => other
      case _                              => Either(left, right)
    }

  private def ordered(
      left: Expression,
      right: Expression,
      comparison: Comparison,
      holds: Boolean,
      tests: Tests
  ): SkippingPredicate = {
    val asked = if (holds) comparison else comparison.negated
    (left, right) match {
      case (Constant(null), value)    => never(value, tests)
      case (value, Constant(null))    => never(value, tests)
      case (value, Constant(literal)) =>
        tested(value, tests, Compare(asked, literal, _))
      case (Constant(literal), value) =>
        tested(value, tests, Compare(asked.swapped, literal, _))
      case _ => Unknown
    }
  }

  private def equal(
      left: Expression,
      right: Expression,
      holds: Boolean,
      tests: Tests
  ): SkippingPredicate = (left, right) match {
    case (value, Constant(literal)) => oneOf(value, Seq(literal), holds, tests)
    case (Constant(literal), value) => oneOf(value, Seq(literal), holds, tests)
    case _                          => Unknown
  }

  private def nullSafe(
      left: Expression,
      right: Expression,
      holds: Boolean,
      tests: Tests
  ): SkippingPredicate = (left, right) match {
    case (value, Constant(null))    => isNull(value, holds, tests)
    case (Constant(null), value)    => isNull(value, holds, tests)
    case (value, Constant(literal)) =>
      val compared = oneOf(value, Seq(literal), holds, tests)
      if (holds) compared else both(compared, isNull(value, holds = true, tests), and = false)
    case (Constant(_), _) => nullSafe(right, left, holds, tests)
    case _                => Unknown
  }

  private def oneOf(
      value: Expression,
      literals: Seq[Any],
      holds: Boolean,
      tests: Tests
  ): SkippingPredicate = {
    // A comparison with null is neither true nor false.
    val known = literals.filter(_ != null)
    if (holds && known.isEmpty) never(value, tests)
    else if (!holds && known.size < literals.size) never(value, tests)
    else if (!isComparable(value.dataType)) Unknown
    else if (literals.isEmpty) Unknown // a null is not in an empty list
    else {
      val sorted = distinct(value.dataType, known)
      tested(value, tests, if (holds) OneOf(sorted, _) else NoneOf(sorted, _))
    }
  }

  /** Returns a test that no value passes; the conversion of the value is evaluated nevertheless. */
  private def never(value: Expression, tests: Tests): SkippingPredicate =
    tested(value, tests, OneOf(Vector.empty, _))

  private def distinct(dataType: DataType, literals: Seq[Any]): IndexedSeq[Any] = {
    val ordering = TypeUtils.getInterpretedOrdering(dataType)
    literals.sorted(ordering).foldLeft(Vector.empty[Any]) { (before, next) =>
      if (before.lastOption.exists(ordering.equiv(_, next))) before else before :+ next
    }
  }

  private def isNull(value: Expression, holds: Boolean, tests: Tests): SkippingPredicate =
    value match {
      case Not(child)                      => isNull(child, holds, tests)
      case _ if holds && !tests.knowsNulls => Unknown
      case _                               =>
        converted(value, tests) match {
          case Some((test, _)) => test(if (holds) IsNull else IsNotNull)
          case None            => if (holds) Unknown else notNull(value, tests)
        }
    }

  private def startsWith(value: Expression, prefix: UTF8String, tests: Tests): SkippingPredicate =
    if (value.dataType != StringType) Unknown
    else {
      tests.test(value).fold[SkippingPredicate](Unknown) { test =>
        test(if (prefix.numBytes == 0) IsNotNull else StartsWith(prefix))
      }
    }

  private def anyOf(array: Expression, values: Seq[Any]): SkippingPredicate =
    (operand(array), array.dataType) match {
      case (Some(found), ArrayType(element, _)) if isComparable(element) =>
        val known = distinct(element, values.filter(_ != null))
        AnyElement(found, Nil, OneOf(known))
      case _ => Unknown
    }

  private def elements(arrayType: DataType, values: ArrayData): Seq[Any] = arrayType match {
    case ArrayType(element, _) => values.toSeq[Any](element)
    case _                     => Nil
  }

  private def tested(
      value: Expression,
      tests: Tests,
      make: Option[Conversion] => ValueTest
  ): SkippingPredicate =
    if (!isComparable(value.dataType)) Unknown
    else {
      converted(value, tests).fold(notNull(value, tests)) { case (test, conversion) =>
        test(make(conversion))
      }
    }

  /** Returns the stored value in `value`, and the conversion from the stored value to `value`. */
  private def converted(
      value: Expression,
      tests: Tests
  ): Option[(ValueTest => SkippingPredicate, Option[Conversion])] =
    tests.test(value).map(_ -> None).orElse {
      value match {
        case cast: Cast if isMonotone(cast.child.dataType, cast.dataType) =>
          converted(cast.child, tests).map { case (test, inner) =>
            val input =
              inner.fold[Expression](BoundReference(0, cast.child.dataType, nullable = true))(
                _.expression
              )
            (test, Some(Conversion(cast.withNewChildren(Seq(input)))))
          }
        case _ => None
      }
    }

  /** Returns whether a cast of numbers keeps their order and cannot fail. */
  private def isMonotone(from: DataType, to: DataType): Boolean = (from, to) match {
    case (FloatType, to)                          => to == DoubleType
    case (_: NumericType, FloatType | DoubleType) => from != DoubleType
    case (_: NumericType, _: NumericType)         => Cast.canUpCast(from, to)
    case _                                        => false
  }

  private def isComparable(dataType: DataType): Boolean = dataType match {
    case _: NumericType | BooleanType | BinaryType | DateType => true
    case TimestampType | TimestampNTZType                     => true
    case text: StringType                                     => text == StringType
    case _                                                    => false
  }

  /** Returns the test that a value is not null, for a predicate that is null if its value is. */
  private def notNull(predicate: Expression, tests: Tests): SkippingPredicate =
    nullFor(predicate, tests).fold[SkippingPredicate](Unknown)(_(IsNotNull))

  private def nullFor(
      expression: Expression,
      tests: Tests
  ): Option[ValueTest => SkippingPredicate] = tests.test(expression).orElse {
    expression.children.filterNot(_.isInstanceOf[Literal]) match {
      case Seq(child) if expression.nullIntolerant => nullFor(child, tests)
      case _                                       => None
    }
  }

  private object Constants {
    def unapply(expressions: Seq[Expression]): Option[Seq[Any]] = {
      val known = expressions.collect { case Constant(value) => value }
      Option.when(known.size == expressions.size)(known)
    }
  }

  private object Constant {
    def unapply(expression: Expression): Option[Any] =
      // An error in a constant is thrown where the query evaluates it, if it does.
      if (expression.foldable) Try(expression.eval()).toOption else None
  }

  /**
   * Returns the common prefix of all strings that match a LIKE pattern.
   *
   * Patterns are matched as Java strings, in which U+FFFD stands for ill-formed bytes of any kind.
   */
  private object LikePrefix {
    def apply(pattern: UTF8String, escape: Char): UTF8String = {
      val literal = pattern.toString.takeWhile { char =>
        char != '%' && char != '_' && char != escape && char != '\uFFFD'
      }
      // The escape character may be half of a surrogate pair.
      val isCut = literal.lastOption.exists(Character.isHighSurrogate)
      UTF8String.fromString(if (isCut) literal.dropRight(1) else literal)
    }
  }
}
