package io.github.variantshredded.commit

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * Finds the files that the log of a stream names if their directory has been moved since, such as by
 * `ALTER TABLE ... RENAME TO`, or is read by another path. The log names whole paths, and Spark's index
 * leaves out files that are not below the directory. The names of the files are unique.
 */
private[variantshredded] object MovedFiles {

  /**
   * Returns the files in a log with the paths that they have below `root`. Lists the files there,
   * but only if the log has another path.
   *
   * @param root
   *   directory of the log
   */
  def located(root: Path, conf: Configuration, files: Seq[FileStatus]): Seq[FileStatus] = {
    val directory = Directories.qualified(root, conf)
    val (here, moved) = files.partition(file => isBelow(directory, file.getPath))
    if (moved.isEmpty) files
    else {
      val found = DataFiles
        .below(directory.getFileSystem(conf), directory)
        .map(file => file.getPath.getName -> file)
        .toMap
      here ++ moved.map(file => found.getOrElse(file.getPath.getName, missing(directory, file)))
    }
  }

  private def isBelow(directory: Path, file: Path): Boolean =
    parents(file).contains(directory)

  private def parents(file: Path): Iterator[Path] =
    Iterator.iterate(file.getParent)(_.getParent).takeWhile(_ != null)

  /** Returns a file that is gone with a path at which a reader of the directory notices that. */
  private def missing(directory: Path, file: FileStatus): FileStatus = {
    val partition = parents(file.getPath).takeWhile(EnclosingTables.isPartition).toSeq.reverse
    val path = (partition :+ file.getPath).map(_.getName).foldLeft(directory)(Directories.child)
    val copy = new FileStatus(file)
    copy.setPath(path)
    copy
  }
}
