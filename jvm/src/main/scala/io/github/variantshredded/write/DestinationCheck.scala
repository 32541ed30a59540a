package io.github.variantshredded.write

import io.github.variantshredded.directory.PartitionDirectories
import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

/**
 * Checks a new directory before files are moved there that a job has written elsewhere. Others may
 * have written to it since it was created.
 */
private[variantshredded] object DestinationCheck {

  /**
   * Refuses a directory in which readers would not see the moved files, or would not see others
   * beside them. To be called while no other job commits there.
   *
   * @param partitionColumns
   *   the columns by which the moved files are partitioned
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if a stream writes there, or `PARTITIONING_MISMATCH`
   */
  def apply(
      session: SparkSession,
      root: Path,
      conf: Configuration,
      partitionColumns: Seq[String]
  ): Unit = {
    BatchLog.refuse(session, root, conf)
    PartitionDirectories
      .columnsOf(root.getFileSystem(conf), root)
      .filterNot(_.corresponds(partitionColumns)(session.sessionState.conf.resolver))
      .foreach { found =>
        throw VariantShreddedErrors.partitioningMismatch(root.toString, partitionColumns, found)
      }
  }
}
