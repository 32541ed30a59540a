package io.github.variantshredded.read.skip

import scala.collection.mutable

import io.github.variantshredded.predicate.{Conjunct, Operand, SkippingPredicate}
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.demand.ExtractionSource
import io.github.variantshredded.read.footer.FileSchema
import io.github.variantshredded.read.options.VariantRules

/** Resolves the predicate of a conjunct in one file. */
private[skip] final class PredicateResolver(
    conjunct: Conjunct,
    columns: FileColumns,
    schema: FileSchema,
    rules: VariantRules,
    settings: DecoderSettings
) {
  import LeafPredicate._

  private val ordinary = new ColumnPredicates(
    conjunct.columns,
    columns,
    schema.message,
    new CalendarRebase(settings.datetimeRebase.mode)
  )

  private val variantRebase = new CalendarRebase(settings.variantRebaseMode)

  private val groups = mutable.Map.empty[Int, VariantPredicates]

  def resolve(predicate: SkippingPredicate): LeafPredicate = predicate match {
    case SkippingPredicate.Unknown             => Always
    case SkippingPredicate.Never               => Never
    case SkippingPredicate.And(left, right)    => resolve(left) and resolve(right)
    case SkippingPredicate.Or(left, right)     => resolve(left) or resolve(right)
    case SkippingPredicate.Test(operand, test) =>
      operand match {
        case Operand.Column(path, dataType) => ordinary.ofValue(path, dataType, test)
        case Operand.OfVariant(index, _)    =>
          val extraction = conjunct.extractions(index)
          variant(index)(_.ofValue(extraction, test)) {
            ofConstant(test, extraction.what.dataType, VariantPredicates.absent(extraction.what))
          }
      }
    case SkippingPredicate.AnyElement(operand, fields, test) =>
      operand match {
        case Operand.Column(path, dataType) => ordinary.ofElements(path, dataType, fields, test)
        case Operand.OfVariant(index, _)    =>
          variant(index)(_.ofElements(conjunct.extractions(index), fields, test))(Never)
      }
  }

  /**
   * Returns the predicate on the Variant of an extraction.
   *
   * @param ofNull
   *   the predicate if the Variant is null in all rows
   */
  private def variant(index: Int)(of: VariantPredicates => LeafPredicate)(
      ofNull: => LeafPredicate
  ): LeafPredicate = columns.source(index) match {
    case ExtractionSource.Shredded(group, _) =>
      of(
        groups.getOrElseUpdate(
          index,
          new VariantPredicates(group, rules, variantRebase)
        )
      )
    case ExtractionSource.LeftToSpark => Always
    case ExtractionSource.Missing     => ofMissing(index)(ofNull)
  }

  /**
   * Returns the predicate for a column that the file does not have: `ofNull`, unless the column has
   * a default value.
   */
  private def ofMissing(index: Int)(ofNull: => LeafPredicate): LeafPredicate =
    if (columns.extractionDefaults(index) == null) ofNull else Always
}
