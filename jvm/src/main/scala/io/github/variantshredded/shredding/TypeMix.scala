package io.github.variantshredded.shredding

import io.github.variantshredded.shredding.ShreddedType._
import io.github.variantshredded.variant.{VariantConstants, VariantReader}

/** Counts the values of a path by their types; Variant nulls are not counted. */
private[shredding] final class TypeMix {
  import TypeMix._

  private var count = 0L

  // Most paths hold values of one kind, so the first kind has a counter of its own.
  private var firstIndex = -1
  private var firstCount = 0L
  private var counts: Array[Long] = _

  // By scale: the number of decimals by their digits, null for a scale without any.
  private var digitCounts: Array[Array[Long]] = _

  def total: Long = count

  /** Counts a value of a kind that `VariantReader.kind` returns. */
  def add(kind: Int): Unit = {
    val index = indexOf(kind)
    count += 1
    if (index == firstIndex) firstCount += 1
    else if (firstIndex < 0) {
      firstIndex = index
      firstCount = 1
    } else {
      if (counts == null) counts = new Array[Long](IndexCount)
      counts(index) += 1
    }
  }

  def addDecimal(kind: Int, scale: Int, digits: Int): Unit = {
    add(kind)
    if (digitCounts == null) digitCounts = new Array[Array[Long]](MaxScale + 1)
    if (digitCounts(scale) == null) digitCounts(scale) = new Array[Long](MaxDigits + 1)
    digitCounts(scale)(digits) += 1
  }

  def reset(): Unit = {
    count = 0
    firstIndex = -1
    firstCount = 0
    counts = null
    digitCounts = null
  }

  def objects: Long = of(VariantReader.ObjectKind)

  def arrays: Long = of(VariantReader.ArrayKind)

  /** Returns the number of values that a column of the type can hold. */
  def held(shreddedType: ShreddedType): Long = shreddedType match {
    case BooleanType                 => of(VariantConstants.True)
    case Int8                        => integers(VariantConstants.Int8)
    case Int16                       => integers(VariantConstants.Int16)
    case Int32                       => integers(VariantConstants.Int32)
    case Int64                       => integers(VariantConstants.Int64)
    case FloatType                   => of(VariantConstants.Float)
    case DoubleType                  => of(VariantConstants.Double)
    case DecimalOf(precision, scale) => digitsOf(scale).take(precision + 1).sum
    case Date                        => of(VariantConstants.Date)
    case Time                        => of(VariantConstants.TimeNtzMicros)
    case TimestampMicros             => of(VariantConstants.TimestampMicros)
    case TimestampNanos              => of(VariantConstants.TimestampNanos)
    case TimestampNtzMicros          => of(VariantConstants.TimestampNtzMicros)
    case TimestampNtzNanos           => of(VariantConstants.TimestampNtzNanos)
    case Binary                      => of(VariantConstants.Binary)
    case StringType                  => of(VariantConstants.LongString)
    case Uuid                        => of(VariantConstants.Uuid)
  }

  /**
   * Returns the type that most values have, if its share is sufficient. If two types are equally
   * frequent, the first one in [[TypeMix.Scalars]] is taken.
   *
   * Integers and decimals together have to reach the share. Then the most frequent type among them
   * is taken, if at least half of all values have it.
   */
  def dominant(limits: InferenceLimits): DominantType = {
    val numbers = integers(VariantConstants.Int64) + decimals
    val (scalar, most) = Scalars.iterator
      .map(shreddedType => shreddedType -> held(shreddedType))
      .maxByOption(_._2)
      .filter(_._2 >= numbers)
      .getOrElse((Int64, numbers))
    if (count == 0) DominantType.Mixed
    else if (objects >= arrays && objects >= most) {
      if (objects >= limits.objectShare * count) DominantType.Object else DominantType.Mixed
    } else if (arrays >= most) {
      if (arrays >= limits.typeShare * count) DominantType.Array else DominantType.Mixed
    } else if (most < limits.typeShare * count) DominantType.Mixed
    else if (scalar == Int64) numeric(limits)
    else DominantType.Scalar(scalar)
  }

  private def numeric(limits: InferenceLimits): DominantType = {
    var best: ShreddedType = Int64
    var most = integers(VariantConstants.Int64)
    var scale = 0
    while (scale <= MaxScale) {
      val count = digitsOf(scale).sum
      if (count > most) {
        best = decimal(scale)
        most = count
      }
      scale += 1
    }
    val least = math.min(limits.typeShare, InferenceLimits.NumericMemberShare)
    if (most >= least * count) DominantType.Scalar(best) else DominantType.Mixed
  }

  // The widest decimal that takes no more bytes, and at least 8 bytes, because later rows may have
  // more digits.
  private def decimal(scale: Int): ShreddedType = {
    val digits = digitsOf(scale).lastIndexWhere(_ > 0)
    DecimalOf(if (math.max(scale, digits) <= 18) 18 else 38, scale)
  }

  // The number of decimals with this scale, by their digits.
  private def digitsOf(scale: Int): Array[Long] =
    if (digitCounts == null || digitCounts(scale) == null) Array.emptyLongArray
    else digitCounts(scale)

  private def of(kind: Int): Long = {
    val index = indexOf(kind)
    if (index == firstIndex) firstCount else if (counts == null) 0L else counts(index)
  }

  private def integers(widest: Int): Long =
    (VariantConstants.Int8 to widest).iterator.map(of).sum

  private def decimals: Long =
    of(VariantConstants.Decimal4) + of(VariantConstants.Decimal8) + of(VariantConstants.Decimal16)
}

private[shredding] object TypeMix {
  private final val MaxScale = 38
  private final val MaxDigits = 38
  private final val ObjectIndex = VariantConstants.Uuid + 1
  private final val ArrayIndex = VariantConstants.Uuid + 2
  private final val IndexCount = VariantConstants.Uuid + 3

  // Both Booleans are one type.
  private def indexOf(kind: Int): Int =
    if (kind == VariantConstants.False) VariantConstants.True
    else if (kind == VariantReader.ObjectKind) ObjectIndex
    else if (kind == VariantReader.ArrayKind) ArrayIndex
    else kind

  /**
   * The types that are inferred, besides exact numbers. UUIDs, times and nanoseconds are not
   * inferred, because Spark's own reader refuses files with such columns.
   */
  private val Scalars: Seq[ShreddedType] = Seq(
    StringType,
    DoubleType,
    BooleanType,
    TimestampMicros,
    TimestampNtzMicros,
    Date,
    FloatType,
    Binary
  )
}
