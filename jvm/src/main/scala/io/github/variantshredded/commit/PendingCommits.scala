package io.github.variantshredded.commit

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/**
 * The commits that are under way in a table, or were when their process died: which of the files
 * there do not count.
 */
private[variantshredded] final class PendingCommits private (
    private val root: Path,
    private val names: Set[String],
    private val notes: Seq[CommitNote]
) {

  private val replacing = notes.filter(_.state == CommitState.Replacing)
  private val adding =
    notes.filter(note => note.state == CommitState.Adding && !replacing.exists(_.job == note.job))
  private val replaced = replacing.flatMap(_.replaced).map(file => file.path -> file).toMap

  /** Whether `file`, below the table, is one that does not count yet or any more. */
  private def hides(file: FileStatus): Boolean = {
    val path = file.getPath
    adding.exists(note => path.getName.contains(note.job)) ||
    (replaced.nonEmpty && replaced.get(PendingCommits.relative(root, path)).exists(_.is(file)))
  }
}

private[variantshredded] object PendingCommits extends Logging {

  // A listing is repeated while commits begin or end, as the next one may be over by then.
  private final val Attempts = 20

  // So many paths are looked at one after the other, before and after they are listed.
  private final val Few = 8

  /**
   * The files that `list` finds below `roots`, but for those that pending commits hide. Seen so, a
   * commit happens at one moment.
   *
   * @param list
   *   lists the files anew each time it is called
   */
  def visible(roots: Seq[Path], conf: Configuration)(
      list: () => Iterable[FileStatus]
  ): Iterable[FileStatus] = {
    var before = if (roots.size <= Few) read(roots, conf) else Nil
    var files = list()
    // Of many paths, most are files.
    val directories = if (roots.size <= Few) roots else withoutFiles(roots, files)
    var after = read(directories, conf)
    var attempt = 1
    while (names(before) != names(after) && attempt < Attempts) {
      before = after
      files = list()
      after = read(directories, conf)
      attempt += 1
    }
    if (attempt == Attempts)
      logWarning(s"Files of ${roots.head} were committed all the time while they were listed.")
    val pending = after.filter(_.notes.nonEmpty)
    if (pending.isEmpty) files
    else files.filterNot(file => pending.exists(_.hides(file)))
  }

  private def names(commits: Seq[PendingCommits]): Set[(Path, String)] =
    commits.iterator.flatMap(commit => commit.names.map(commit.root -> _)).toSet

  private def withoutFiles(roots: Seq[Path], files: Iterable[FileStatus]): Seq[Path] = {
    val found = files.iterator.map(_.getPath).toSet
    roots.filterNot(found)
  }

  private def read(roots: Seq[Path], conf: Configuration): Seq[PendingCommits] =
    if (roots.size <= Few) roots.map(read(_, conf))
    else roots.asJava.parallelStream.map[PendingCommits](read(_, conf)).toList.asScala.toSeq

  @tailrec
  private def read(root: Path, conf: Configuration): PendingCommits = {
    val fs = root.getFileSystem(conf)
    val files = CommitNote.list(fs, root)
    val notes = files.values.toSeq.map(CommitNote.read(fs, _))
    // A note that was removed meanwhile may have had another beside it that was not seen.
    if (notes.contains(None)) read(root, conf)
    else new PendingCommits(fs.makeQualified(root), files.keySet, notes.flatten)
  }

  /** The path of `file` from `root`. */
  private[commit] def relative(root: Path, file: Path): String =
    file.toString.stripPrefix(root.toString).stripPrefix(Path.SEPARATOR)
}
