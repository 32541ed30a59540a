package io.github.variantshredded.read

import scala.util.control.NonFatal

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** A vector that holds no values of its own, only children. */
private[read] abstract class ViewVector(dataType: DataType) extends ColumnVector(dataType) {
  private def unused = throw new UnsupportedOperationException(s"not a ${dataType.catalogString}")

  override def close(): Unit = ()
  override def getBoolean(rowId: Int): Boolean = unused
  override def getByte(rowId: Int): Byte = unused
  override def getShort(rowId: Int): Short = unused
  override def getInt(rowId: Int): Int = unused
  override def getLong(rowId: Int): Long = unused
  override def getFloat(rowId: Int): Float = unused
  override def getDouble(rowId: Int): Double = unused
  override def getArray(rowId: Int): ColumnarArray = unused
  override def getMap(rowId: Int): ColumnarMap = unused
  override def getDecimal(rowId: Int, precision: Int, scale: Int): Decimal = unused
  override def getUTF8String(rowId: Int): UTF8String = unused
  override def getBinary(rowId: Int): Array[Byte] = unused
  override def getChild(ordinal: Int): ColumnVector = unused
}

/**
 * The Variants of one batch, each rebuilt when it is asked for.
 *
 * Spark takes a Variant as child 0, the value, and child 1, the metadata.
 *
 * @param metadata
 *   the dictionaries, one slot a Variant
 * @param isNull
 *   whether the Variant of a slot is SQL NULL
 */
private[read] final class VariantColumnVector(
    group: VariantGroup,
    metadata: RowMetadata,
    isNull: VariantNulls,
    root: PositionVectors,
    context: VariantContext
) extends ViewVector(VariantType) {

  private val rebuilder = new VariantRebuilder(root, metadata.own, context)

  /** Called once a row group, before its first batch. */
  def startRowGroup(): Unit = metadata.startRowGroup()

  private var slots = 0

  /**
   * Called once a batch, after its columns are decoded.
   *
   * @param slots
   *   Variants in the batch
   */
  def startBatch(slots: Int): Unit = {
    this.slots = slots
    root.startBatch(slots)
  }

  override def hasNull: Boolean = numNulls > 0

  override def numNulls: Int = {
    var count = 0
    var slot = 0
    while (slot < slots) {
      if (isNull.isNullAt(slot)) count += 1
      slot += 1
    }
    count
  }

  override def isNullAt(slot: Int): Boolean = isNull.isNullAt(slot)

  override def getChild(ordinal: Int): ColumnVector =
    if (ordinal == 0) valueChild else metadataChild

  private def plan(slot: Int): MetadataPlan = metadata.plan(root, slot, slot)

  private def located(failure: Throwable): Throwable = failure match {
    case e: VariantShreddedException => e.at(context.location(group.column))
    // Dictionary ids are looked up only here, and pages without checksums may hold any.
    case NonFatal(e) =>
      VariantShreddedErrors.corruptFile(
        s"Cannot read a value: $e",
        context.location(group.column),
        e
      )
    case fatal => fatal
  }

  private val valueChild = new ViewVector(BinaryType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = VariantColumnVector.this.isNullAt(slot)
    override def getBinary(slot: Int): Array[Byte] =
      try rebuilder.rebuild(plan(slot), slot)
      catch { case e: Throwable => throw located(e) }
  }

  private val metadataChild = new ViewVector(BinaryType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = VariantColumnVector.this.isNullAt(slot)
    override def getBinary(slot: Int): Array[Byte] =
      try plan(slot).bytes
      catch { case e: Throwable => throw located(e) }
  }
}

/** Tells which Variants are SQL NULL. */
private[read] trait VariantNulls {
  def isNullAt(slot: Int): Boolean
}

/** What the Variants of one file share, beside their columns. */
private[read] final class VariantContext(
    val strict: Boolean,
    val maxDepth: Int,
    val metrics: ReadMetrics,
    file: String
) {

  /** Row group being decoded, from 0 within the file. */
  var rowGroup: Int = -1

  /** The file, and the row group if one is being decoded. */
  def here: ErrorLocation =
    ErrorLocation(file = Some(file), rowGroup = Option.when(rowGroup >= 0)(rowGroup))

  def location(column: String): ErrorLocation = here.copy(column = Some(column))
}

/** A struct with a Variant somewhere below. */
private[read] final class StructView(
    dataType: DataType,
    struct: ColumnVector,
    children: Array[ColumnVector]
) extends ViewVector(dataType) {
  override def hasNull: Boolean = struct.hasNull
  override def numNulls: Int = struct.numNulls
  override def isNullAt(slot: Int): Boolean = struct.isNullAt(slot)
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

/** An array with a Variant somewhere below. */
private[read] final class ArrayView(
    dataType: DataType,
    array: WritableColumnVector,
    element: ColumnVector
) extends ViewVector(dataType) {
  override def hasNull: Boolean = array.hasNull
  override def numNulls: Int = array.numNulls
  override def isNullAt(slot: Int): Boolean = array.isNullAt(slot)
  override def getArray(slot: Int): ColumnarArray =
    if (isNullAt(slot)) null
    else new ColumnarArray(element, array.getArrayOffset(slot), array.getArrayLength(slot))
  override def getChild(ordinal: Int): ColumnVector = element
}

/** A map with a Variant somewhere below. */
private[read] final class MapView(
    dataType: DataType,
    map: WritableColumnVector,
    keys: ColumnVector,
    values: ColumnVector
) extends ViewVector(dataType) {
  override def hasNull: Boolean = map.hasNull
  override def numNulls: Int = map.numNulls
  override def isNullAt(slot: Int): Boolean = map.isNullAt(slot)
  override def getMap(slot: Int): ColumnarMap =
    if (isNullAt(slot)) null
    else new ColumnarMap(keys, values, map.getArrayOffset(slot), map.getArrayLength(slot))
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) keys else values
}
