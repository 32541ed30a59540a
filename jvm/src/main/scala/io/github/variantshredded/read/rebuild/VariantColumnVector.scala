package io.github.variantshredded.read.rebuild

import scala.util.control.NonFatal

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.read.vector.ViewVector
import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Holds the Variants of one batch. Each is rebuilt when it is read.
 *
 * As Spark expects of a Variant vector, child 0 is the value and child 1 is the metadata.
 *
 * @param metadata
 *   the metadata of the Variants, one slot per Variant
 * @param isNull
 *   says which Variants are SQL NULL
 */
private[read] final class VariantColumnVector(
    group: VariantGroup,
    metadata: VariantMetadata,
    isNull: VariantNulls,
    root: PositionVectors,
    context: FileContext
) extends ViewVector(VariantType) {

  private val rebuilder = Rebuilder.of(root, metadata.own, context)

  /** Prepares for a row group. Must be called before its first batch. */
  def startRowGroup(): Unit = metadata.startRowGroup()

  private var slots = 0

  /**
   * Starts a batch. Must be called after its columns have been decoded.
   *
   * @param slots
   *   number of Variants in the batch
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
    // Dictionary ids are resolved only here, and may be invalid in pages without checksums.
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
      try rebuilder.metadata(plan(slot), slot)
      catch { case e: Throwable => throw located(e) }
  }
}
