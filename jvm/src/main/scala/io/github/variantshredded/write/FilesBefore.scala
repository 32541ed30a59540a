package io.github.variantshredded.write

import io.github.variantshredded.commit.ExclusiveCommit
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.write.file.{ExistingLayout, WriteShredding}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * Checks that the rows of a job can be read together with the files that its directory has: when the
 * job begins, and again when it commits, if another job has committed in between.
 *
 * @param data
 *   the columns of the rows that are written to files
 * @param partitionColumns
 *   the columns by which the rows are partitioned; None if the directory may be partitioned by
 *   others
 * @param checksVariants
 *   whether a column may be a Variant in the rows only if it is one in the files
 */
private[write] final class FilesBefore(
    root: Path,
    conf: Configuration,
    data: StructType,
    partitionColumns: Option[Seq[String]],
    checksVariants: Boolean
) {
  // Commits that come later change these names.
  private val commits = lastCommits

  /**
   * Returns the layout of the newest file, if it matters.
   *
   * @param isOther
   *   whether a file is not one of the job itself
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `PARTITIONING_MISMATCH` or `COLUMN_TYPE_MISMATCH`
   */
  def check(isOther: FileStatus => Boolean = _ => true): Option[ExistingLayout] = {
    val resolver = SQLConf.get.resolver
    for {
      asked <- partitionColumns
      found <- PartitionDirectories.columnsOf(root.getFileSystem(conf), root, isOther)
      if !found.corresponds(asked)(resolver)
    } throw VariantShreddedErrors.partitioningMismatch(root.toString, asked, found)
    if (!checksVariants) None
    else {
      val newest = WriteShredding.readable(ExistingLayout.newest(root, conf, isOther))
      newest.foreach(_.checkVariants(data, SQLConf.get.caseSensitiveAnalysis))
      newest
    }
  }

  /** Checks the files again if another job has committed since this one began. */
  def checkAgain(job: String): Unit =
    if (lastCommits != commits) {
      val _ = check(!_.getPath.getName.contains(job))
    }

  private def lastCommits: Set[String] = ExclusiveCommit.last(root.getFileSystem(conf), root)
}
