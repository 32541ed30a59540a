package io.github.variantshredded.write.infer

import scala.collection.mutable

import io.github.variantshredded.shredding.{InferenceLimits, ShreddingSchema, ShreddingSpec}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/**
 * Checks a file for schema drift: from time to time it takes a sample of the rows.
 *
 * @param maxBytes
 *   most bytes in the sample; the row that reaches this size is the last one
 * @param current
 *   the shredding schemas of the file
 */
private[write] final class DriftWatch(
    schema: StructType,
    shredding: ShreddingSpec,
    inference: InferenceLimits,
    limits: DriftLimits,
    maxBytes: Long,
    current: Seq[ShreddingSchema]
) {
  private val sample = mutable.ArrayBuffer.empty[UnsafeRow]
  private var sampledBytes = 0L
  private var rows = 0

  /** Adds the next row of the file. Returns the drift, if this row ends a sample that shows one. */
  def add(row: UnsafeRow): Option[SchemaDrift] = {
    if (rows >= limits.rows - DriftLimits.SampledRows && sampledBytes < maxBytes) {
      val copy = row.copy()
      sample += copy
      sampledBytes += copy.getSizeInBytes
    }
    rows += 1
    if (rows < limits.rows) None
    else {
      val drift = SampleInference.drifted(schema, shredding, sample, inference, current)
      sample.clear()
      sampledBytes = 0
      rows = 0
      drift
    }
  }
}
