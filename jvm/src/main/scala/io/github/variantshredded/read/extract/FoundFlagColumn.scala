package io.github.variantshredded.read.extract

import io.github.variantshredded.read.position.{LocatedErrors, PathFinder}
import io.github.variantshredded.read.vector.ViewVector
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Evaluates whether a path exists in Variants in binary form, or whether its value is a Variant
 * null.
 */
private[read] final class FoundFlagColumn(
    path: PathFinder,
    asksForNull: Boolean,
    errors: LocatedErrors
) extends ValueColumn {
  override def startBatch(slots: Int): Unit = path.source.startBatch(slots)

  override val vector: ColumnVector = new ViewVector(BooleanType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = false
    override def getBoolean(slot: Int): Boolean = path.source.mayHaveVariants &&
      errors.located(path.find(slot)) && (!asksForNull || path.isVariantNull)
  }
}
