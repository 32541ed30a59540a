package io.github.variantshredded.read.inspect

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.{Conjunct, Operand, SkippingPredicate, ValueTest}
import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.variant.VariantPath
import org.apache.spark.sql.types.{ArrayType, DataType, StructType, VariantType}

/**
 * Describes what a scan does with the values at one path of a Variant.
 *
 * @param use
 *   [[QueryUse.Reads]], [[QueryUse.Equals]] or [[QueryUse.Range]]
 * @param column
 *   name of the Variant column, with dots
 * @param path
 *   the path, with `[*]` for array elements: `$.items[*].price`
 * @param dataType
 *   the type to which the value is cast
 */
private final case class QueryUse(use: String, column: String, path: String, dataType: String)

private object QueryUse {

  /** The scan returns the value. */
  final val Reads = "reads"

  /** The value is compared with single constants: `=`, `IN`. */
  final val Equals = "equals"

  /** The value is compared with a bound, or with the prefix of a string. */
  final val Range = "range"

  /** Returns all uses of a scan, without duplicates. */
  def of(scan: VariantScan): Seq[QueryUse] = {
    val read = scan.pushed.extractions.flatMap(extraction => uses(Reads, extraction))
    val compared = for {
      conjunct <- scan.pushed.filters.conjuncts.pushed
      (operand, below, use) <- tests(conjunct.skipping)
      found <- compares(conjunct, operand, below, use)
    } yield found
    (read ++ compared).distinct
  }

  private def uses(use: String, extraction: ScanExtraction): Seq[QueryUse] =
    paths(pathOf(extraction), targetOf(extraction)).map { case (found, dataType) =>
      QueryUse(use, extraction.column.mkString("."), found, dataType.catalogString)
    }

  /**
   * Lists the field ordinals from the elements of an extracted array to the tested field; None if
   * the extraction itself is tested.
   */
  private type Below = Option[Seq[Int]]

  private def tests(predicate: SkippingPredicate): Seq[(Operand, Below, String)] = predicate match {
    case SkippingPredicate.Unknown | SkippingPredicate.Never => Nil
    case SkippingPredicate.And(left, right)                  => tests(left) ++ tests(right)
    case SkippingPredicate.Or(left, right)                   => tests(left) ++ tests(right)
    case SkippingPredicate.Test(operand, test) => kindOf(test).toSeq.map((operand, None, _))
    case SkippingPredicate.AnyElement(operand, fields, test) =>
      kindOf(test).toSeq.map((operand, Some(fields), _))
  }

  private def kindOf(test: ValueTest): Option[String] = test match {
    case ValueTest.OneOf(literals, _) if literals.nonEmpty        => Some(Equals)
    case _: ValueTest.Compare | _: ValueTest.StartsWith           => Some(Range)
    case _: ValueTest.OneOf | _: ValueTest.NoneOf                 => None
    case ValueTest.IsNull | ValueTest.IsNotNull | ValueTest.IsNaN => None
  }

  private def compares(
      conjunct: Conjunct,
      operand: Operand,
      below: Below,
      use: String
  ): Option[QueryUse] = operand match {
    case Operand.OfVariant(index, _) =>
      val extraction = conjunct.extractions(index)
      within(pathOf(extraction), targetOf(extraction), below).map { case (tested, dataType) =>
        QueryUse(use, extraction.column.mkString("."), tested, dataType.catalogString)
      }
    case _: Operand.Column => None
  }

  private def within(path: String, target: DataType, below: Below): Option[(String, DataType)] =
    (below, target) match {
      case (None, _)                                 => Some((path, target))
      case (Some(fields), ArrayType(elementType, _)) =>
        fields.foldLeft(Option((VariantPath.elements(path), elementType))) {
          case (Some((parent, struct: StructType)), ordinal) =>
            val field = struct(ordinal)
            Some((VariantPath.wholeField(parent, field.name), field.dataType))
          case _ => None
        }
      case _ => None
    }

  private def targetOf(extraction: ScanExtraction): DataType = extraction.what match {
    case ExtractionResult.Value(target, _, _, _) => target
    case _: ExtractionResult.Flag                => VariantType
  }

  /** Returns the path, with whole names, as the format `variant-shredded-files` has it. */
  private def pathOf(extraction: ScanExtraction): String =
    extraction.path.foldLeft(VariantPath.Root) {
      case (path, PathStep.Field(name)) => VariantPath.wholeField(path, name)
      case (path, PathStep.Element(_))  => VariantPath.elements(path)
    }

  /** Returns the paths that a cast to a nested type reads. */
  private def paths(path: String, target: DataType): Seq[(String, DataType)] = target match {
    case StructType(fields) =>
      fields.toSeq.flatMap(field => paths(VariantPath.wholeField(path, field.name), field.dataType))
    case ArrayType(elementType, _) => paths(VariantPath.elements(path), elementType)
    case other                     => Seq((path, other))
  }
}
