package io.github.variantshredded.write.infer

import scala.collection.mutable

import io.github.variantshredded.shredding.{InferenceLimits, ShreddingSchema, ShreddingSpec}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/**
 * Looks at a sample of a file's rows from time to time.
 *
 * @param current
 *   the schemas of the file
 */
private[write] final class DriftWatch(
    schema: StructType,
    shredding: ShreddingSpec,
    inference: InferenceLimits,
    limits: DriftLimits,
    current: Seq[ShreddingSchema]
) {
  private val sample = mutable.ArrayBuffer.empty[UnsafeRow]
  private var sampledBytes = 0L
  private var rows = 0

  /** Takes the next row of the file; what has drifted, if that was the end of a sample. */
  def add(row: UnsafeRow): Option[SchemaDrift] = {
    if (rows >= limits.rows - DriftLimits.SampledRows && sampledBytes < inference.bytes) {
      val copy = row.copy()
      sample += copy
      sampledBytes += copy.getSizeInBytes
    }
    rows += 1
    if (rows < limits.rows) None
    else {
      val drift = RowInference.drifted(schema, shredding, sample, inference, current)
      sample.clear()
      sampledBytes = 0
      rows = 0
      drift
    }
  }
}
