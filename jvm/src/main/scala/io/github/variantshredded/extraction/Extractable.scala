package io.github.variantshredded.extraction

import scala.util.{Failure, Success, Try}

import io.github.variantshredded.spark.SchemaInternals
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.variant.{
  ArrayExtraction,
  IsVariantNull,
  ObjectExtraction,
  VariantExpressionEvalUtils,
  VariantGet,
  VariantPathParser
}
import org.apache.spark.sql.types._

/** Recognizes the expressions that a scan can evaluate as extractions. */
private[variantshredded] object Extractable {

  /** Represents the value at a path of a Variant, as an expression of the type VARIANT. */
  private final case class SubValue(variant: PlanVariant, path: Seq[PathStep])

  /**
   * Returns the extraction that `expression` is; a reason if it is one that a scan cannot evaluate;
   * None if it is no extraction.
   */
  def unapply(expression: Expression): Option[Either[String, PlanExtraction]] = expression match {
    case get: VariantGet =>
      subValue(get.child).map(_.flatMap { at =>
        for {
          path <- steps(get.path)
          what <- value(get.targetType, get.failOnError, get.timeZoneId)
        } yield PlanExtraction(at.variant, at.path ++ path, what)
      })
    case cast: Cast if cast.child.dataType == VariantType && cast.dataType != VariantType =>
      subValue(cast.child).map(_.flatMap { at =>
        if (SchemaInternals.asNullable(cast.dataType) != cast.dataType) {
          Left(s"fields or elements of ${cast.dataType.simpleString} cannot be null")
        } else {
          // Spark's cast of a Variant fails on errors without ANSI mode too.
          val isTry = cast.evalMode == EvalMode.TRY
          value(cast.dataType, !isTry, cast.timeZoneId, isTry && variant(cast.child).isDefined)
            .map(PlanExtraction(at.variant, at.path, _))
        }
      })
    case IsVariantNull(child) => of(child, ExtractionResult.IsVariantNull)
    case VariantNullOf(child) => of(child, ExtractionResult.IsVariantNull)
    case IsNotNull(child)     => of(child, ExtractionResult.IsPresent)
    case IsNull(child)        => of(child, ExtractionResult.IsPresent)
    case _                    => None
  }

  /** Returns an expression equal to `expression`, an extraction whose result is `value`. */
  def replacement(expression: Expression, value: Expression): Expression = expression match {
    case _: IsNull => Not(value)
    case _         => value
  }

  /** Returns the Variant column, or Variant field of a column, that `expression` is. */
  def variant(expression: Expression): Option[PlanVariant] =
    if (expression.dataType == VariantType) columnPath(expression) else None

  /** Returns the Variant that `predicate` tests for SQL NULL, if it is `v IS NOT NULL`. */
  def notNull(predicate: Expression): Option[PlanVariant] = predicate match {
    case IsNotNull(child) => variant(child)
    case _                => None
  }

  /** Returns the column, or field of a column, that `expression` is. */
  def columnPath(expression: Expression): Option[PlanVariant] = expression match {
    case column: AttributeReference         => Some(PlanVariant(column.exprId, Nil))
    case GetStructField(struct, ordinal, _) =>
      columnPath(struct).map(at => at.copy(fields = at.fields :+ ordinal))
    case _ => None
  }

  /**
   * Returns the Variant and the path that `expression` is; the path is empty for the Variant
   * itself.
   */
  def subVariant(expression: Expression): Option[(PlanVariant, Seq[PathStep])] =
    subValue(expression).flatMap(_.toOption).map(at => at.variant -> at.path)

  private def of(
      child: Expression,
      what: ExtractionResult
  ): Option[Either[String, PlanExtraction]] =
    subValue(child).map(_.map(at => PlanExtraction(at.variant, at.path, what)))

  private def subValue(expression: Expression): Option[Either[String, SubValue]] =
    expression match {
      case get: VariantGet if get.targetType == VariantType =>
        subValue(get.child).map(_.flatMap { at =>
          steps(get.path).map(path => SubValue(at.variant, at.path ++ path))
        })
      case other => variant(other).map(at => Right(SubValue(at, Nil)))
    }

  private def steps(path: Expression): Either[String, Seq[PathStep]] =
    if (!path.foldable) Left("its path is not a constant")
    else {
      Try(Option(path.eval())) match {
        case Success(Some(text)) =>
          Try(VariantPathParser.parse(text.toString)) match {
            case Success(Some(segments)) =>
              Right(segments.toSeq.map {
                case ObjectExtraction(key)  => PathStep.Field(key)
                case ArrayExtraction(index) => PathStep.Element(index)
              })
            case _ => Left(s"'$text' is not a path")
          }
        case Success(None) => Left("its path is null")
        case Failure(e)    => Left(s"its path cannot be computed: ${e.getMessage}")
      }
    }

  private def value(
      target: DataType,
      failOnError: Boolean,
      timeZoneId: Option[String],
      isTryCast: Boolean = false
  ): Either[String, ExtractionResult] =
    if (target == VariantType) Right(SubVariant)
    else {
      refusal(target, nested = false)
        .toLeft(ExtractionResult.Value(target, failOnError, timeZoneId, isTryCast))
    }

  /** Extracts a value as a Variant: without a cast that could fail or depend on a time zone. */
  val SubVariant: ExtractionResult.Value =
    ExtractionResult.Value(VariantType, failOnError = true, timeZoneId = None)

  private def refusal(target: DataType, nested: Boolean): Option[String] = target match {
    case text: StringType =>
      if (text == StringType) None else Some(s"the type ${text.simpleString}")
    case ArrayType(element, _)              => refusal(element, nested = true)
    case MapType(key: StringType, value, _) =>
      refusal(key, nested = true).orElse(refusal(value, nested = true))
    case StructType(fields) =>
      fields.iterator.flatMap(field => refusal(field.dataType, nested = true)).nextOption()
    case _: TimeType if nested                                     => Some("a nested TIME")
    case _: NumericType | BooleanType | BinaryType | VariantType   => None
    case DateType | TimestampType | TimestampNTZType | _: TimeType => None
    case other => Some(s"the type ${other.simpleString}")
  }

  /** Matches the call into which the optimizer turns `is_variant_null`. */
  private object VariantNullOf {
    def unapply(call: StaticInvoke): Option[Expression] =
      if (
        call.staticObject == VariantExpressionEvalUtils.getClass &&
        call.functionName == "isVariantNull"
      ) {
        call.arguments.headOption
      } else {
        None
      }
  }
}
