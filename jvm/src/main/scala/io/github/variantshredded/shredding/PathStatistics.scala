package io.github.variantshredded.shredding

import java.util.Arrays

import io.github.variantshredded.variant.{VariantConstants, VariantReader}

/**
 * What was seen at one path of the Variants of a column: the node of a trie.
 *
 * @param nameId
 *   id of the field's name, -1 for the topmost value and for elements
 * @param order
 *   number of paths that were met before this one
 */
private[shredding] final class PathStatistics(val nameId: Int, val order: Int) {

  /** Rows with a value other than null here. */
  var rows = 0

  /** Values other than null; with arrays there can be several a row. */
  var values = 0L

  /** Fields in the order in which they first came. */
  var children: Array[PathStatistics] = PathStatistics.NoChildren
  var childCount = 0

  /** Elements of arrays here, null if there were none. */
  var element: PathStatistics = _

  private var lastRow = -1
  private val counts = new Array[Long](PathStatistics.Classes)

  // By scale: how many decimals, and most digits among them.
  private var scaleCounts: Array[Long] = _
  private var scaleDigits: Array[Int] = _

  // Child number + 1 by name id, by open addressing.
  private var slots: Array[Int] = PathStatistics.NoSlots

  def count(row: Int, kind: Int): Unit = {
    countRow(row)
    counts(PathStatistics.classOf(kind)) += 1
  }

  def countDecimal(row: Int, scale: Int, digits: Int): Unit = {
    countRow(row)
    if (scaleCounts == null) {
      scaleCounts = new Array[Long](PathStatistics.MaxScale + 1)
      scaleDigits = new Array[Int](PathStatistics.MaxScale + 1)
    }
    scaleCounts(scale) += 1
    scaleDigits(scale) = math.max(scaleDigits(scale), digits)
  }

  private def countRow(row: Int): Unit = {
    values += 1
    if (row != lastRow) {
      lastRow = row
      rows += 1
    }
  }

  /** The field of this name, or null. */
  def child(name: Int): PathStatistics = {
    val slot = slotOf(name)
    if (slots(slot) == 0) null else children(slots(slot) - 1)
  }

  def addChild(child: PathStatistics): Unit = {
    if (childCount == children.length)
      children = Arrays.copyOf(children, math.max(4, childCount * 2))
    children(childCount) = child
    childCount += 1
    if (childCount * 2 > slots.length) {
      slots = new Array[Int](Integer.highestOneBit(math.max(childCount, 2)) * 4)
      var i = 0
      while (i < childCount) {
        slots(slotOf(children(i).nameId)) = i + 1
        i += 1
      }
    } else slots(slotOf(child.nameId)) = childCount
  }

  private def slotOf(name: Int): Int = {
    val mask = slots.length - 1
    var slot = (name * 0x9e3779b9) >>> 16 & mask
    while (slots(slot) != 0 && children(slots(slot) - 1).nameId != name) slot = (slot + 1) & mask
    slot
  }

  /**
   * The type that most values have, if its share is enough; of two as frequent, the first by the
   * order of the classes, then the smaller scale.
   */
  def dominant(leastShare: Double): DominantType = {
    var best = -1
    var most = 0L
    var i = 0
    while (i < PathStatistics.Classes) {
      if (counts(i) > most) {
        best = i
        most = counts(i)
      }
      i += 1
    }
    var scale = -1
    if (scaleCounts != null) {
      i = 0
      while (i <= PathStatistics.MaxScale) {
        if (scaleCounts(i) > most) {
          scale = i
          most = scaleCounts(i)
        }
        i += 1
      }
    }
    if (most == 0 || most < leastShare * values) DominantType.Mixed
    else if (scale >= 0) DominantType.Scalar(decimal(scale))
    else PathStatistics.Types(best)
  }

  // The widest decimals that take no more bytes, and 8 bytes at least, since later rows may have more
  // digits than these.
  private def decimal(scale: Int): ShreddedType = {
    val precision = if (math.max(scale, scaleDigits(scale)) <= 18) 18 else 38
    ShreddedType.DecimalOf(precision, scale)
  }
}

/** What most values at a path are. */
private[shredding] sealed trait DominantType

private[shredding] object DominantType {
  case object Mixed extends DominantType
  case object Object extends DominantType
  case object Array extends DominantType
  final case class Scalar(shreddedType: ShreddedType) extends DominantType
}

private[shredding] object PathStatistics {
  private final val MaxScale = 38
  private val NoChildren = Array.empty[PathStatistics]
  private val NoSlots = new Array[Int](1)

  // Integers of all widths are one class, as one column holds them all; int64, because later rows may
  // be wider than those that were seen. Files with columns of the last class are refused by Spark's own
  // reader, so that only a given schema has them.
  private val Types: Array[DominantType] = Array(
    DominantType.Object,
    DominantType.Array,
    DominantType.Scalar(ShreddedType.StringType),
    DominantType.Scalar(ShreddedType.Int64),
    DominantType.Scalar(ShreddedType.DoubleType),
    DominantType.Scalar(ShreddedType.BooleanType),
    DominantType.Scalar(ShreddedType.TimestampMicros),
    DominantType.Scalar(ShreddedType.TimestampNtzMicros),
    DominantType.Scalar(ShreddedType.Date),
    DominantType.Scalar(ShreddedType.FloatType),
    DominantType.Scalar(ShreddedType.Binary),
    DominantType.Mixed // uuid, time and nanoseconds
  )

  private val Classes: Int = Types.length

  private val classes: Array[Int] = {
    import VariantConstants._
    val result = new Array[Int](VariantReader.ArrayKind + 1)
    Seq(
      VariantReader.ObjectKind -> 0,
      VariantReader.ArrayKind -> 1,
      LongString -> 2,
      Int8 -> 3,
      Int16 -> 3,
      Int32 -> 3,
      Int64 -> 3,
      Double -> 4,
      True -> 5,
      False -> 5,
      TimestampMicros -> 6,
      TimestampNtzMicros -> 7,
      Date -> 8,
      Float -> 9,
      Binary -> 10,
      Uuid -> 11,
      TimeNtzMicros -> 11,
      TimestampNanos -> 11,
      TimestampNtzNanos -> 11
    ).foreach { case (kind, place) => result(kind) = place }
    result
  }

  private def classOf(kind: Int): Int = classes(kind)
}
