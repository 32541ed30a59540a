package io.github.variantshredded.write.cluster

import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingSpec}
import io.github.variantshredded.write.column.{ParquetSettings, RowGroupMemory}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/**
 * Writes rows to a file in the order of a [[Clustering]]. The rows are collected in a row buffer
 * and sorted within it.
 *
 * @param write
 *   writes a row to the file
 */
private[write] final class ClusteredFile(
    schema: StructType,
    shredding: ShreddingSpec,
    schemas: Seq[ShreddingSchema],
    clustering: Clustering,
    configuration: Configuration,
    write: UnsafeRow => Unit,
    memory: RowGroupMemory = RowGroupMemory.Shared
) {
  private val buffer = new ClusterBuffer(schema, shredding, schemas, clustering)

  private val share = {
    val settings = ParquetSettings(configuration)
    val size = clustering.bytes.getOrElse {
      math.max((settings.rowGroupSize * Clustering.RowGroupShare).toLong, 1L)
    }
    memory.acquire(settings, size)
  }

  /** Adds a row, which must not change afterwards. */
  def add(row: UnsafeRow): Unit = {
    buffer.add(row)
    if (buffer.bytes >= share.bytes) flush()
  }

  /** Indexes of the paths of the clustering at which a row has had a value. */
  def found: Set[Int] = buffer.found

  /** Writes the rows in the buffer. */
  def flush(): Unit = buffer.drain(write)

  /** Releases the memory, after the last row or after a failure. */
  def close(): Unit = share.release()
}
