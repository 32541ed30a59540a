package io.github.variantshredded.commit

import org.apache.hadoop.fs.Path

/** Names the directory in which a table has its commit notes. */
private[variantshredded] object NotesDirectory {

  /**
   * Returns the directory of a table's notes. Spark and other engines ignore names that begin with
   * `_`.
   */
  def of(root: Path): Path = new Path(root, Name)

  private final val Name = "_variant_shredded_commits"

  /**
   * Returns whether `path` is the directory of a table's notes, or a file in it. Patterns such as
   * `*` match the directory, and longer ones match its files.
   */
  def includes(path: Path): Boolean = is(path) || (path.getParent != null && is(path.getParent))

  private def is(path: Path): Boolean = path.getName == Name && path.getParent != null
}
