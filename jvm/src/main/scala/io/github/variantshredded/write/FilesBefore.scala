package io.github.variantshredded.write

import io.github.variantshredded.commit.PendingCommits
import io.github.variantshredded.directory.{DataFiles, PartitionDirectories}
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.write.file.{ExistingLayout, ParquetMagic, WriteShredding}
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
 *   the columns by which the rows are partitioned; None if the files may be partitioned in any way
 * @param toleratesOthers
 *   whether files that are not Parquet, such as `README.md`, may be in other directories, as in
 *   that of a table by name, whose columns are declared
 */
private[write] final class FilesBefore(
    root: Path,
    conf: Configuration,
    data: StructType,
    partitionColumns: Option[Seq[String]],
    mode: WriteMode,
    toleratesOthers: Boolean
) {
  private val fs = root.getFileSystem(conf)
  private val commits = PendingCommits.of(root, conf)

  // Whether a column may be a Variant in the rows only if it is one in the files. The partitions of
  // a table by name have the same columns.
  private val checksVariants = mode.addsFiles || !toleratesOthers

  // Readers of files that may be partitioned in any way look into all directories.
  private val isRead: Path => Boolean =
    if (partitionColumns.isEmpty) _ => true else DataFiles.isRead(root)

  // Whether a file, which the job may replace, cannot be read together with the rows.
  private var differs = false

  /** Returns whether another job was removing the log of a stream that has written the files. */
  def losesLog: Boolean = commits.removesLog

  /**
   * Returns the layout of the newest file, if all files are kept and it matters.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `PARTITIONING_MISMATCH` or `COLUMN_TYPE_MISMATCH`
   */
  def check(): Option[ExistingLayout] = check(file => !commits.hides(file))

  private def check(isOther: FileStatus => Boolean): Option[ExistingLayout] = {
    for {
      asked <- partitionColumns
      found <- otherColumns(asked, isOther)
      rows <-
        // Rows can be hidden only in a Parquet file; others, such as `README.md`, have none.
        if (toleratesOthers)
          otherColumns(asked, file => isOther(file) && ParquetMagic.isAtEnd(fs, file))
        else Some(found)
    } throw VariantShreddedErrors.partitioningMismatch(root.toString, asked, rows)
    if (!checksVariants) None
    else if (mode.addsFiles) newest(isOther)
    else {
      // The files that the job replaces may have other columns.
      try newest(isOther): Unit
      catch { case _: VariantShreddedException => differs = true }
      None
    }
  }

  private def newest(isOther: FileStatus => Boolean): Option[ExistingLayout] = {
    val layout =
      WriteShredding.readable(ExistingLayout.newest(root, conf, isOther, isRead))
    layout.foreach(_.checkVariants(data, SQLConf.get.caseSensitiveAnalysis))
    layout
  }

  /**
   * Checks the files that the job does not replace, if [[check]] found one that differs.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `COLUMN_TYPE_MISMATCH`
   */
  def checkKept(job: String, replaced: Seq[FileStatus]): Unit =
    if (differs) {
      val paths = replaced.map(_.getPath).toSet
      val now = PendingCommits.of(root, conf)
      newest { file =>
        !isOf(job, file) && !now.hides(file) && !paths(fs.makeQualified(file.getPath))
      }: Unit
    }

  private def isOf(job: String, file: FileStatus): Boolean = file.getPath.getName.contains(job)

  /** Returns the partition columns of the files if they are others than those of the rows. */
  private def otherColumns(
      asked: Seq[String],
      accepts: FileStatus => Boolean
  ): Option[Seq[String]] =
    PartitionDirectories
      .columnsOf(fs, root, accepts)
      .filterNot(_.corresponds(asked)(SQLConf.get.resolver))

  /** Checks the files again if another job may have committed since this one began. */
  def checkAgain(job: String): Unit = {
    val now = PendingCommits.of(root, conf)
    if (now.differsWithout(job, commits)) {
      val _ = check(file => !isOf(job, file) && !now.hides(file))
    }
  }
}
