package io.github.variantshredded.read.skip

import scala.util.control.NonFatal

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.types.variant.{Variant, VariantUtil}
import org.apache.spark.unsafe.types.VariantVal

/** What Spark's own expressions extract from whole Variants. */
object ExtractedValues {

  /** The value of an extraction as Catalyst has it, or the error. */
  def of(
      variant: Option[VariantVal],
      extraction: ScanExtraction
  ): Either[Throwable, Any] =
    try {
      val found = variant.flatMap { v =>
        extraction.path.foldLeft(Option(new Variant(v.getValue, v.getMetadata))) {
          case (Some(at), PathStep.Field(name)) if at.getType == VariantUtil.Type.OBJECT =>
            Option(at.getFieldByKey(name))
          case (Some(at), PathStep.Element(index)) if at.getType == VariantUtil.Type.ARRAY =>
            Option(at.getElementAtIndex(index))
          case _ => None
        }
      }
      Right(extraction.what match {
        case ExtractionResult.IsPresent     => found.isDefined
        case ExtractionResult.IsVariantNull => found.exists(_.getType == VariantUtil.Type.NULL)
        case value: ExtractionResult.Value  =>
          val zone = DateTimeUtils.getZoneId(value.timeZoneId.get)
          val args = VariantCastArgs(value.failOnError, value.timeZoneId, zone)
          found.map(VariantGet.cast(_, value.dataType, args)).orNull
      })
    } catch { case NonFatal(e) => Left(e) }

  /** Spark gives up at types that it does not know; the source may know better. */
  def isUnknownType(e: Throwable): Boolean = e match {
    case e: SparkThrowable =>
      e.getCondition == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT" || e.getCondition == "MALFORMED_VARIANT"
    case _ => false
  }
}
