package io.github.variantshredded.write.cluster

import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingSpec}
import io.github.variantshredded.write.column.{ParquetSettings, RowGroupMemory}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/**
 * Rows on their way to a file, which get there in the order of a [[Clustering]]: sorted as many at a
 * time as memory is there for.
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

  /** Takes a row, which must not change any more. */
  def add(row: UnsafeRow): Unit = {
    buffer.add(row)
    if (buffer.bytes >= share.bytes) flush()
  }

  /** Writes what is held. */
  def flush(): Unit = buffer.drain(write)

  /** Lets go of the memory, after the last row or a failure. */
  def close(): Unit = share.release()
}
