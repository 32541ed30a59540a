package io.github.variantshredded.table

import io.github.variantshredded.directory.{Directories, PartitionDirectories}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.PathPatterns
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.datasources.{FileIndexOptions, PartitioningAwareFileIndex}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Finds directories such as `day=1` that a pattern such as `events/` followed by `*` matches. Spark
 * takes each of them for a table of its own, so their names become no columns.
 */
private[variantshredded] object LostPartitions {

  /**
   * Refuses patterns that match such directories.
   *
   * @param paths
   *   the paths of a read, which may be patterns
   * @param index
   *   the files at these paths
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def check(
      paths: Seq[String],
      index: PartitioningAwareFileIndex,
      options: CaseInsensitiveStringMap,
      conf: Configuration
  ): Unit = {
    val isMeant = options.containsKey(FileIndexOptions.BASE_PATH_PARAM) ||
      options.getBoolean(FileIndexOptions.RECURSIVE_FILE_LOOKUP, false)
    if (!isMeant && paths.exists(PathPatterns.isPattern)) {
      val bases = paths.map(PathPatterns.fixed(_, conf)).toSet
      val columns = index.partitionSchema.fieldNames
      val lost = for {
        directory <- index.allFiles().iterator.map(_.getPath.getParent).distinct
        level <- Directories.below(bases, directory)
        if level.getName.indexOf('=') > 0
        column = PartitionDirectories.columnOf(level.getName)
        if !columns.exists(_.equalsIgnoreCase(column))
      } yield (level, column)
      lost.nextOption().foreach { case (level, column) => throw refused(level, column) }
    }
  }

  private def refused(directory: Path, column: String) = VariantShreddedErrors.unsupported(
    s"Reading a glob that matches directories such as $directory, and so loses the column " +
      s"'$column',",
    s"Name the directory above, ${directory.getParent}, or set the option basePath to it."
  )
}
