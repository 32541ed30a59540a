package io.github.variantshredded.write.shred

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{Layout, SpecLayoutWriter}
import io.github.variantshredded.variant.{VariantConstants, VariantReader}
import io.github.variantshredded.write.column.LeafWriter

/** Writes a `typed_value` column of a primitive type ("Shredded Value Types"). */
private[write] abstract class ShreddedColumn {

  /**
   * Returns whether the column can hold the value in [pos, end), so that reading returns the same
   * value.
   */
  def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean

  /** Adds a value, for which [[holds]] is true. */
  def add(bytes: Array[Byte], pos: Int, end: Int, leaf: LeafWriter, repetition: Int): Unit
}

private[write] object ShreddedColumn {

  // The first days from which on the Julian and the Gregorian calendar agree in every time zone, by
  // Spark's tables: 1582-10-15 for dates, 1900-01-01 for timestamps.
  private final val FirstCommonDay = -141427L
  private final val FirstCommonMicros = -2208988800000000L

  /** Returns the column for values of a type, by the rules of the layout. */
  def apply(shreddedType: ShreddedType, settings: ShredderSettings): ShreddedColumn = {
    val own = exact(shreddedType, settings)
    settings.layout match {
      case Layout.Spec     => own
      case Layout.Overview => ExactNumericColumn(shreddedType, own)
    }
  }

  private def exact(shreddedType: ShreddedType, settings: ShredderSettings): ShreddedColumn = {
    val all = Long.MinValue
    def from(first: Long): Long = if (settings.legacyCalendar) first else all
    shreddedType match {
      case ShreddedType.BooleanType => BooleanColumn
      case ShreddedType.Int8        => new IntColumn(Byte.MinValue.toLong, Byte.MaxValue.toLong)
      case ShreddedType.Int16       => new IntColumn(Short.MinValue.toLong, Short.MaxValue.toLong)
      case ShreddedType.Int32       => new IntColumn(Int.MinValue.toLong, Int.MaxValue.toLong)
      case ShreddedType.Int64       => Int64Column
      case ShreddedType.FloatType   => FloatColumn
      case ShreddedType.DoubleType  => DoubleColumn
      case ShreddedType.DecimalOf(precision, scale) =>
        if (precision <= 9) new Decimal4Column(precision, scale)
        else if (precision <= 18) new Decimal8Column(precision, scale)
        else new Decimal16Column(precision, scale)
      case ShreddedType.Date            => new DateColumn(from(FirstCommonDay))
      case ShreddedType.Time            => new MicrosColumn(VariantConstants.TimeNtzMicros, all)
      case ShreddedType.TimestampMicros =>
        new MicrosColumn(VariantConstants.TimestampMicros, from(FirstCommonMicros))
      case ShreddedType.TimestampNanos     => new MicrosColumn(VariantConstants.TimestampNanos, all)
      case ShreddedType.TimestampNtzMicros =>
        new MicrosColumn(VariantConstants.TimestampNtzMicros, all)
      case ShreddedType.TimestampNtzNanos =>
        new MicrosColumn(VariantConstants.TimestampNtzNanos, all)
      case ShreddedType.Binary     => new ContentColumn(VariantConstants.Binary)
      case ShreddedType.StringType => new ContentColumn(VariantConstants.LongString)
      case ShreddedType.Uuid       => UuidColumn
    }
  }

  private def isInteger(kind: Int): Boolean =
    kind >= VariantConstants.Int8 && kind <= VariantConstants.Int64

  private object BooleanColumn extends ShreddedColumn {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean = {
      val kind = VariantReader.kind(bytes, pos, end)
      kind == VariantConstants.True || kind == VariantConstants.False
    }

    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addBoolean(VariantReader.getBoolean(bytes, pos, end), repetition)
  }

  /** Stores integers, and dates as days, in INT32. */
  private abstract class NumberAsInt extends ShreddedColumn {
    override final def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addInt(VariantReader.getLong(bytes, pos, end).toInt, repetition)
  }

  /** Stores integers, and times as micro- or nanoseconds, in INT64. */
  private abstract class NumberAsLong extends ShreddedColumn {
    override final def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addLong(VariantReader.getLong(bytes, pos, end), repetition)
  }

  private final class IntColumn(min: Long, max: Long) extends NumberAsInt {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      isInteger(VariantReader.kind(bytes, pos, end)) && {
        val number = VariantReader.getLong(bytes, pos, end)
        number >= min && number <= max
      }
  }

  private object Int64Column extends NumberAsLong {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      isInteger(VariantReader.kind(bytes, pos, end))
  }

  // Parquet writes all NaNs with the same bits, so NaNs with other bits stay in `value`.
  private object FloatColumn extends ShreddedColumn {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      VariantReader.kind(bytes, pos, end) == VariantConstants.Float && {
        val number = VariantReader.getFloat(bytes, pos, end)
        !number.isNaN || java.lang.Float.floatToRawIntBits(number) ==
          java.lang.Float.floatToIntBits(number)
      }

    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addFloat(VariantReader.getFloat(bytes, pos, end), repetition)
  }

  private object DoubleColumn extends ShreddedColumn {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      VariantReader.kind(bytes, pos, end) == VariantConstants.Double && {
        val number = VariantReader.getDouble(bytes, pos, end)
        !number.isNaN || java.lang.Double.doubleToRawLongBits(number) ==
          java.lang.Double.doubleToLongBits(number)
      }

    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addDouble(VariantReader.getDouble(bytes, pos, end), repetition)
  }

  private final class DateColumn(first: Long) extends NumberAsInt {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      VariantReader.kind(bytes, pos, end) == VariantConstants.Date &&
        VariantReader.getLong(bytes, pos, end) >= first
  }

  /** Stores the micro- or nanoseconds of the type `kind`. */
  private final class MicrosColumn(kind: Int, first: Long) extends NumberAsLong {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      VariantReader.kind(bytes, pos, end) == kind &&
        VariantReader.getLong(bytes, pos, end) >= first
  }

  /** Stores strings or binaries. */
  private final class ContentColumn(kind: Int) extends ShreddedColumn {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      VariantReader.kind(bytes, pos, end) == kind

    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit = {
      val start = VariantReader.contentStart(bytes, pos, end)
      leaf.addBytes(bytes, start, end - start, repetition)
    }
  }

  private object UuidColumn extends ShreddedColumn {
    override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
      VariantReader.kind(bytes, pos, end) == VariantConstants.Uuid

    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addFixed(bytes, pos + 1, end - pos - 1, repetition)
  }

  /** Stores decimals of one scale and of up to `precision` digits. */
  private abstract class DecimalColumn(precision: Int, scale: Int) extends ShreddedColumn {
    override final def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean = {
      val kind = VariantReader.kind(bytes, pos, end)
      kind >= VariantConstants.Decimal4 && kind <= VariantConstants.Decimal16 &&
      VariantReader.getDecimalScale(bytes, pos, end) == scale &&
      Unscaled.fits(high(bytes, pos, end, kind), low(bytes, pos, end, kind), precision)
    }

    protected final def high(bytes: Array[Byte], pos: Int, end: Int, kind: Int): Long =
      if (kind == VariantConstants.Decimal16) VariantReader.getUnscaledHigh(bytes, pos, end)
      else VariantReader.getUnscaledLong(bytes, pos, end) >> 63

    protected final def low(bytes: Array[Byte], pos: Int, end: Int, kind: Int): Long =
      if (kind == VariantConstants.Decimal16) VariantReader.getUnscaledLow(bytes, pos, end)
      else VariantReader.getUnscaledLong(bytes, pos, end)
  }

  private final class Decimal4Column(precision: Int, scale: Int)
      extends DecimalColumn(precision, scale) {
    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addInt(low(bytes, pos, end, VariantReader.kind(bytes, pos, end)).toInt, repetition)
  }

  private final class Decimal8Column(precision: Int, scale: Int)
      extends DecimalColumn(precision, scale) {
    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit =
      leaf.addLong(low(bytes, pos, end, VariantReader.kind(bytes, pos, end)), repetition)
  }

  private final class Decimal16Column(precision: Int, scale: Int)
      extends DecimalColumn(precision, scale) {
    private val buffer = new Array[Byte](SpecLayoutWriter.decimalBytes(precision))

    override def add(
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        leaf: LeafWriter,
        repetition: Int
    ): Unit = {
      val kind = VariantReader.kind(bytes, pos, end)
      Unscaled.putBigEndian(high(bytes, pos, end, kind), low(bytes, pos, end, kind), buffer)
      leaf.addFixed(buffer, 0, buffer.length, repetition)
    }
  }
}
