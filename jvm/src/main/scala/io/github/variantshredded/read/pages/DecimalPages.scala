package io.github.variantshredded.read.pages

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DictionaryPage}
import org.apache.parquet.schema.{PrimitiveType, Types}
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{
  BINARY,
  FIXED_LEN_BYTE_ARRAY,
  INT32,
  INT64
}
import org.apache.spark.sql.types.Decimal

/**
 * Converts decimals of up to 18 digits that are stored as bytes to the form in which most writers
 * store them: INT32 or INT64. Spark's decoder fails on those in `BINARY`, and returns the lowest
 * bits of those in `FIXED_LEN_BYTE_ARRAY` of more than eight bytes.
 *
 * @param stored
 *   a column for which [[DecimalPages.isNeeded]]
 */
private[read] final class DecimalPages(stored: ColumnDescriptor) extends PageConversion {
  private val physical = stored.getPrimitiveType
  private val isFixed = physical.getPrimitiveTypeName == FIXED_LEN_BYTE_ARRAY
  private val decimal =
    physical.getLogicalTypeAnnotation.asInstanceOf[DecimalLogicalTypeAnnotation]
  private val isInt = decimal.getPrecision <= Decimal.MAX_INT_DIGITS

  /** The column as Spark's decoder sees it. */
  val converted: ColumnDescriptor = new ColumnDescriptor(
    stored.getPath,
    Types
      .primitive(if (isInt) INT32 else INT64, physical.getRepetition)
      .as(decimal)
      .named(physical.getName),
    stored.getMaxRepetitionLevel,
    stored.getMaxDefinitionLevel
  )

  override private[pages] def dictionary(page: DictionaryPage): DictionaryPage = {
    val values = ByteBuffer.wrap(page.getBytes.toInputStream.readAllBytes())
    val size = page.getDictionarySize
    new DictionaryPage(numbers(values, size), size, page.getEncoding)
  }

  override private[pages] def data(page: PageParts): DataPage =
    if (page.encoding.usesDictionary) page.page
    else page.withValues(numbers(plain(page), page.present), Encoding.PLAIN)

  private def plain(page: PageParts): ByteBuffer = {
    val values = page.values
    page.encoding match {
      case Encoding.PLAIN => values
      case encoding       =>
        val start = values.position()
        val width = if (isFixed) physical.getTypeLength else 0
        DeltaPages.toPlain(values, start, encoding, physical.getPrimitiveTypeName, width)
    }
  }

  /** Converts values in plain encoding. */
  private def numbers(values: ByteBuffer, count: Int): BytesInput = {
    val in = values.order(ByteOrder.LITTLE_ENDIAN)
    val least = if (isFixed) physical.getTypeLength else 5
    if (count.toLong * least > in.remaining) {
      throw corrupt(s"A page of ${in.remaining} bytes claims to have $count decimals.")
    }
    val out =
      ByteBuffer.allocate(count * (if (isInt) 4 else 8)).order(ByteOrder.LITTLE_ENDIAN)
    var i = 0
    while (i < count) {
      val length = if (isFixed) least else lengthAt(in, i)
      val number = unscaled(in, length, i)
      if (isInt) out.putInt(number.toInt) else out.putLong(number)
      i += 1
    }
    BytesInput.from(out.array)
  }

  private def lengthAt(in: ByteBuffer, index: Int): Int = {
    val length = if (in.remaining < 4) -1 else in.getInt()
    if (length <= 0 || length > in.remaining) {
      throw corrupt(s"The decimal $index of a page claims $length bytes.")
    }
    length
  }

  /** Reads a number of `length` bytes, the highest byte first. */
  private def unscaled(in: ByteBuffer, length: Int, index: Int): Long = {
    var number = in.get().toLong
    var fits = true
    var i = 1
    while (i < length) {
      val shifted = number << 8
      fits &&= shifted >> 8 == number
      number = shifted | (in.get() & 0xff)
      i += 1
    }
    if (!fits || (isInt && number != number.toInt)) {
      throw corrupt(
        s"The decimal $index of a page does not fit into the ${decimal.getPrecision} digits of " +
          "its column."
      )
    }
    number
  }

  private def corrupt(reason: String) =
    VariantShreddedErrors.corruptFile(reason, ErrorLocation())
}

private[read] object DecimalPages {

  /** Returns true if Spark's decoder cannot read these decimals, or reads other numbers. */
  def isNeeded(physical: PrimitiveType, decimal: DecimalLogicalTypeAnnotation): Boolean =
    decimal.getPrecision <= Decimal.MAX_LONG_DIGITS && (physical.getPrimitiveTypeName match {
      case BINARY               => true
      case FIXED_LEN_BYTE_ARRAY => physical.getTypeLength > java.lang.Long.BYTES
      case _                    => false
    })
}
