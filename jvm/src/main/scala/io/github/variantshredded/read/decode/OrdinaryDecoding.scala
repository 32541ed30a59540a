package io.github.variantshredded.read.decode

import io.github.variantshredded.read.pages.{ConvertedPages, DecimalPages, VoidPages}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.{
  DecimalLogicalTypeAnnotation,
  IntLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT64
import org.apache.spark.sql.types._

/**
 * Chooses how a leaf column of ordinary columns is decoded: as Spark decodes it, except where
 * Spark's decoder fails or returns wrong values.
 *
 * @param descriptor
 *   the column as Spark's decoder sees it
 * @param pages
 *   its pages as Spark's decoder reads them
 */
private[decode] final case class OrdinaryDecoding(
    descriptor: ColumnDescriptor,
    pages: PageReadStore
)

private[decode] object OrdinaryDecoding {

  /**
   * Chooses the decoding of a column.
   *
   * @param stored
   *   the column of the file
   * @param dataType
   *   the type of the vector
   */
  def of(stored: ColumnDescriptor, dataType: DataType, pages: PageReadStore): OrdinaryDecoding =
    (stored.getPrimitiveType.getLogicalTypeAnnotation, dataType) match {
      case (_, NullType) if pages.getRowIndexes.isPresent =>
        val conversion = new VoidPages(stored)
        OrdinaryDecoding(stored, new ConvertedPages(pages, stored, conversion))
      case (decimal: DecimalLogicalTypeAnnotation, target: DecimalType)
          if holds(target, decimal) && DecimalPages.isNeeded(stored.getPrimitiveType, decimal) =>
        val conversion = new DecimalPages(stored)
        OrdinaryDecoding(conversion.converted, new ConvertedPages(pages, stored, conversion))
      case (decimal: DecimalLogicalTypeAnnotation, target: DecimalType)
          if isWidened(stored, decimal, target) =>
        val wide = LogicalTypeAnnotation.decimalType(target.scale, target.precision)
        OrdinaryDecoding(LeafDecoding.withAnnotation(stored, wide), pages)
      case (int: IntLogicalTypeAnnotation, _) if isReinterpreted(int, dataType) =>
        OrdinaryDecoding(LeafDecoding.withoutAnnotation(stored), pages)
      case _ => OrdinaryDecoding(stored, pages)
    }

  /** Returns true if every decimal of the file is one of `target`; Spark refuses the others. */
  private def holds(target: DecimalType, decimal: DecimalLogicalTypeAnnotation): Boolean =
    target.scale >= decimal.getScale &&
      target.precision - target.scale >= decimal.getPrecision - decimal.getScale

  /**
   * Returns true if decimals of up to nine digits in INT64 are read as longer ones. By their
   * annotation, Spark takes the entries of their dictionary for INT32, and fails.
   */
  private def isWidened(
      stored: ColumnDescriptor,
      decimal: DecimalLogicalTypeAnnotation,
      target: DecimalType
  ): Boolean =
    stored.getPrimitiveType.getPrimitiveTypeName == INT64 &&
      decimal.getScale == target.scale &&
      decimal.getPrecision <= Decimal.MAX_INT_DIGITS &&
      target.precision > Decimal.MAX_INT_DIGITS && target.precision <= Decimal.MAX_LONG_DIGITS

  /**
   * Returns true if unsigned numbers are read as signed ones of the same width or less, as a given
   * schema may say. Spark does so with values in plain encoding. By their annotation, it takes the
   * entries of a dictionary for numbers of another width, and fails.
   */
  private def isReinterpreted(int: IntLogicalTypeAnnotation, dataType: DataType): Boolean =
    !int.isSigned && ((int.getBitWidth, dataType) match {
      case (32, ByteType | ShortType | IntegerType) => true
      case (64, LongType)                           => true
      case _                                        => false
    })
}
