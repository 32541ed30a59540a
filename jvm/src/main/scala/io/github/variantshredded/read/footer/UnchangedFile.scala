package io.github.variantshredded.read.footer

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * Says of a file that it never changes, as a table format promises that gives each file a new name.
 * The time of its last change is not known.
 */
private[variantshredded] final class UnchangedFile(path: Path, length: Long)
    extends FileStatus(length, false, 1, UnchangedFile.BlockSize, 0, path)

private object UnchangedFile {

  /** The size that Spark's listings have for files whose blocks are not known. */
  final val BlockSize = 128L * 1024 * 1024
}
