package io.github.variantshredded.directory

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink

/** Finds the names of files and directories that Spark's listing of files ignores. */
private[variantshredded] object HiddenNames {

  private final val BeingCopied = "._COPYING_"

  private final val Replacing = "_replacing_"

  /** What a job appends to the name of a directory that it removes, before its own id. */
  final val Removed = ".removed-"

  private val StagingDirectory = FileCommitProtocol.getStagingDir(Path.CUR_DIR, "").getName

  /**
   * Returns whether Spark's listing ignores a name: files of unfinished jobs, and notes of other
   * tools.
   */
  def hides(name: String): Boolean = {
    val summary = name.startsWith("_metadata") || name.startsWith("_common_metadata")
    !summary && (name.startsWith(".") || name.endsWith(BeingCopied) ||
      (name.startsWith("_") && !name.contains("=")))
  }

  /** Returns whether a name is that of a directory in which jobs have files until they end. */
  def isOfJobs(name: String): Boolean =
    name == FileOutputCommitter.PENDING_DIR_NAME || name.startsWith(StagingDirectory) ||
      (name.startsWith(".") && name.contains(Replacing)) ||
      name.startsWith(FileStreamSink.metadataDir + Removed)

  /** Returns how the names of directories begin that will replace the file or directory `name`. */
  def ofReplacing(name: String): String = s".$name$Replacing"

  /**
   * Returns whether a name is one of Parquet's summary files, such as `_metadata`, which have no
   * rows: Spark's listing returns them, and its scans leave them out.
   */
  def isSummary(name: String): Boolean =
    !hides(name) && name.startsWith("_") && !name.contains("=")

  /**
   * Refuses a partition column whose directories Spark's listing would ignore.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def checkColumn(column: String): Unit =
    if (hides(s"${ExternalCatalogUtils.escapePathName(column)}=1"))
      throw VariantShreddedErrors.unsupported(
        s"Partitioning by the column '$column'",
        "Its directories would have names that readers ignore. Rename the column."
      )

  /**
   * Refuses the directory of a partition if Spark's listing would ignore it.
   *
   * @param directory
   *   name of the directory, such as `p=1`; characters that are escaped in it make no difference
   */
  def checkPartition(directory: String): Unit =
    if (hides(directory))
      throw VariantShreddedErrors.unsupported(
        s"A partition whose directory is '$directory'",
        s"Readers ignore names that end in '$BeingCopied'. Change the value."
      )
}
