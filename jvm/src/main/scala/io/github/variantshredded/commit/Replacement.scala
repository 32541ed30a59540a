package io.github.variantshredded.commit

import java.io.{FileNotFoundException, IOException}

import io.github.variantshredded.directory.{DataFiles, ManyCalls}
import org.apache.hadoop.fs.{FileSystem, Path}

/** Deletes what a commit replaces, according to its note. */
private final class Replacement(fs: FileSystem, root: Path, note: CommitNote) {

  /**
   * Deletes the files and the log. The first file is deleted before the others, so that nothing is
   * deleted if the file system does not allow it.
   */
  def finish(): Unit = {
    note.log.foreach(name => DataFiles.removeAtOnce(fs, new Path(root, name), note.job))
    note.replaced.take(1).foreach(delete)
    ManyCalls.map(note.replaced.drop(1))(delete)
    DataFiles.removeEmpty(fs, root, note.replaced.map(path(_).getParent))
  }

  /**
   * Returns whether nothing has been deleted. A log counts as deleted: it is removed first, and not
   * at once on every file system.
   */
  def isUntouched: Boolean = note.log.isEmpty && isFirstThere &&
    ManyCalls.map(note.replaced.drop(1))(isThere).forall(identity)

  /** Returns whether the file is there that is deleted first. */
  def isFirstThere: Boolean = note.replaced.headOption.forall(isThere)

  private def delete(file: NotedFile): Unit =
    if (isThere(file) && !fs.delete(path(file), false) && fs.exists(path(file)))
      throw new IOException(s"Unable to delete ${path(file)}, which a commit replaces.")

  private def isThere(file: NotedFile): Boolean =
    try file.is(fs.getFileStatus(path(file)))
    catch { case _: FileNotFoundException => false }

  private def path(file: NotedFile): Path = PendingCommits.resolve(root, file.path)
}
