package io.github.variantshredded.commit

import org.apache.hadoop.fs.FileStatus

/**
 * Identifies a file that a commit replaces, with the length and time that it had when it was
 * listed.
 */
private[commit] final case class NotedFile(path: String, length: Long, modified: Long) {

  /** Returns whether `file` is this file, and not a later file with the same name. */
  def is(file: FileStatus): Boolean =
    file.getLen == length && NotedFile.isSameTime(file.getModificationTime, modified)
}

private[commit] object NotedFile {

  /**
   * Returns whether two times, in milliseconds, can be those of one file: some object stores list
   * files with milliseconds, and answer requests for one file with seconds.
   */
  private def isSameTime(one: Long, other: Long): Boolean =
    one == other || (one / 1000 == other / 1000 && (one % 1000 == 0 || other % 1000 == 0))
}
