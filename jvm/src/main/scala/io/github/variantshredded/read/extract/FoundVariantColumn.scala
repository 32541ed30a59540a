package io.github.variantshredded.read.extract

import io.github.variantshredded.read.position.{LocatedErrors, PathFinder}
import io.github.variantshredded.read.vector.ViewVector
import org.apache.spark.sql.types.{BinaryType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.{Variant, VariantBuilder}

/**
 * Evaluates a path on Variants in binary form, and returns the result as a Variant. Only the slots
 * that are read are evaluated.
 *
 * @param asSpark
 *   whether it has the bytes that Spark's reader gives it: those of a Variant that has only its
 *   own names
 */
private[read] final class FoundVariantColumn(
    path: PathFinder,
    asSpark: Boolean,
    errors: LocatedErrors
) extends ValueColumn {
  private var slots = 0
  // The last result is kept because Spark reads null flag, value and metadata of a slot one after
  // the other.
  private var lastSlot = -1
  private var lastFound = false
  private var last: Variant = _

  override def startBatch(slots: Int): Unit = {
    path.source.startBatch(slots)
    this.slots = slots
    lastSlot = -1
  }

  private def find(slot: Int): Boolean = path.source.mayHaveVariants && {
    if (slot != lastSlot) {
      lastFound = errors.located(path.find(slot))
      if (lastFound && asSpark) {
        last = inSparkForm(new Variant(path.value, path.source.plan.bytes))
      }
      lastSlot = slot
    }
    lastFound
  }

  private def inSparkForm(variant: Variant): Variant = {
    val builder = new VariantBuilder(false)
    builder.appendVariant(variant)
    builder.result()
  }

  private abstract class Bytes extends ViewVector(BinaryType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = !find(slot)
  }

  private val value = new Bytes {
    override def getBinary(slot: Int): Array[Byte] =
      if (!find(slot)) null
      else if (asSpark) last.getValue
      else path.value
  }

  private val metadata = new Bytes {
    override def getBinary(slot: Int): Array[Byte] =
      if (!find(slot)) null
      else if (asSpark) last.getMetadata
      else path.source.plan.bytes
  }

  override val vector: ColumnVector = new ViewVector(VariantType) {
    override def hasNull: Boolean = true
    override def numNulls: Int = (0 until slots).count(isNullAt)
    override def isNullAt(slot: Int): Boolean = !find(slot)
    override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
  }
}
