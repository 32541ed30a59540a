package io.github.variantshredded.commit

import scala.annotation.tailrec
import scala.collection.mutable

import io.github.variantshredded.directory.{Directories, ManyCalls}
import io.github.variantshredded.errors.CommitErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/**
 * Holds the unfinished commits in a table, which determine the files that readers have to ignore.
 * Their jobs are running or have died.
 *
 * @param last
 *   the jobs whose marks are there ([[CommitNote.markLast]])
 * @param adding
 *   the jobs that move their files to their places, or wait until they may, but for those in
 *   `replacing`
 * @param replacing
 *   the notes of the jobs that replace files
 */
private[variantshredded] final class PendingCommits private (
    private val root: Path,
    last: Set[String],
    private val adding: Set[String],
    replacing: Seq[CommitNote]
) {

  private val replaced = replacing.flatMap(_.replaced).map(file => file.path -> file).toMap

  private val relative = PendingCommits.relative(root)

  /**
   * What changes with every commit: the marks and the notes, each as its job and the state. Notes
   * `adding` come and go while jobs wait, so they count only together with the mark of their job:
   * then all files of the job are in their places, and the job ends, or another one undoes it.
   */
  private val changes: Set[(String, Option[CommitState])] =
    last.map(_ -> Option.empty[CommitState]) ++
      adding.intersect(last).map(_ -> Some(CommitState.Adding)) ++
      replacing.map(_.job -> Some(CommitState.Replacing))

  /**
   * Returns whether readers have to ignore `file`: it is not committed yet, or has been replaced.
   */
  def hides(file: FileStatus): Boolean = {
    val path = file.getPath
    adding.exists(job => path.getName.contains(job)) ||
    (replaced.nonEmpty && relative(path).flatMap(replaced.get).exists(_.is(file)))
  }

  /**
   * Returns whether a job removes the log of a stream, or has died while it did so. A job without
   * its mark was undone, and withdraws its note.
   */
  def removesLog: Boolean = replacing.exists(note => note.log.isDefined && last(note.job))

  /** Returns whether a job has committed that is not a stream. */
  def hasCommitted: Boolean = last.nonEmpty

  /** Returns whether jobs other than `job` may have committed since `earlier` was read. */
  def differsWithout(job: String, earlier: PendingCommits): Boolean =
    changes.filterNot(_._1 == job) != earlier.changes.filterNot(_._1 == job)

  private def hidesFiles: Boolean = adding.nonEmpty || replacing.nonEmpty

  /**
   * Returns whether the directory may be one that is about to replace a file ([[CommittedMove]]):
   * no job has committed to it.
   */
  private def mayReplaceFile: Boolean = adding.nonEmpty || last.isEmpty

  /** Returns whether the directory of notes is empty or missing. */
  private def isEmpty: Boolean = !hidesFiles && last.isEmpty
}

private[variantshredded] object PendingCommits {

  /** A listing is repeated if commits begin or end meanwhile, up to this number of times. */
  private[commit] final val Attempts = 20

  // Up to this number, the paths are checked one by one before and after they are listed.
  private final val Few = 8

  /**
   * Returns the files that `list` finds below `roots`, without those that unfinished commits hide.
   * In this view, a commit happens at one moment.
   *
   * @param roots
   *   are evaluated again after each listing if they match a pattern: it may have found others
   * @param ofPattern
   *   whether the roots match a pattern, and so may be parts of a table
   * @param areFiles
   *   whether the roots are files, unless something else has their names now
   * @param list
   *   lists the files again at each call
   */
  def visible(
      roots: => Seq[Path],
      conf: Configuration,
      ofPattern: Boolean = false,
      areFiles: Boolean = false
  )(
      list: () => Iterable[FileStatus]
  ): Iterable[FileStatus] = {
    // If there are many paths, most are files, which have no notes: a listing shows which.
    val tried = if (roots.size <= Few && !areFiles) None else Some(list())
    val first = Tables.of(roots, tried, ofPattern)
    def commits(tables: Tables, before: Seq[PendingCommits]) = {
      val empty = before.filter(_.isEmpty).map(_.root).toSet
      val above = tables.above.map(root => root -> root.getFileSystem(conf))
      read(tables.directories, conf, empty) ++
        ManyCalls
          .map(above) { case (root, fs) => Directories.ifAllowed(root)(read(root, fs, empty)) }
          .flatten
    }

    @tailrec
    def attempt(number: Int, before: Seq[PendingCommits]): Iterable[FileStatus] = {
      val files = list()
      val tables =
        if (ofPattern) Tables.of(roots, Some(files).filter(_ => roots.size > Few), ofPattern)
        else first
      // A table that only this listing has found had no commits before.
      val after = commits(tables, before)
      if (!haveChanged(before, after)) {
        // A job whose note `adding` is gone has not committed: it waits, or has failed.
        val pending = (before ++ after).filter(_.hidesFiles)
        val shown =
          if (pending.isEmpty) files else files.filterNot(file => pending.exists(_.hides(file)))
        val empty = withoutShown(after.filter(_.mayReplaceFile), shown)
        empty.foreach(commits => checkNoFile(commits.root, conf))
        // A job that replaces a file may have ended before the check.
        if (number == 1 && empty.exists(_.adding.nonEmpty)) attempt(2, commits(tables, Nil))
        else shown
      } else if (number < Attempts) attempt(number + 1, after)
      else {
        val one = roots.headOption.getOrElse(before.head.root)
        throw CommitErrors.commitsWhileListing(one.toString, Attempts)
      }
    }

    if (first.isEmpty && !ofPattern) tried.getOrElse(list())
    else attempt(1, commits(first, Nil))
  }

  /**
   * Holds the directories that may have notes about files.
   *
   * @param directories
   *   those that are listed
   * @param above
   *   those of the tables of which the listed ones may be parts; they may be closed to the user
   */
  private final case class Tables(directories: Seq[Path], above: Seq[Path]) {
    def isEmpty: Boolean = directories.isEmpty && above.isEmpty
  }

  private object Tables {

    /**
     * Finds the directories.
     *
     * @param files
     *   the files in `roots`, if those that are files themselves are left out
     */
    def of(roots: Seq[Path], files: Option[Iterable[FileStatus]], ofPattern: Boolean): Tables = {
      val parts = if (ofPattern) roots else roots.filter(EnclosingTables.isPartition)
      val directories = files.fold(roots)(withoutFiles(roots, _))
      Tables(directories, parts.flatMap(EnclosingTables.above).distinct.diff(directories))
    }
  }

  /**
   * Refuses a directory without files for readers if it is about to replace a file, whose rows are
   * neither in the directory nor in a file of its name at this moment.
   */
  private def checkNoFile(root: Path, conf: Configuration): Unit =
    if (root.getParent != null) {
      val isReplacing = Directories.ifAllowed(root.getParent) {
        root.getFileSystem(conf).exists(CommittedMove.aside(root))
      }
      if (isReplacing.contains(true)) throw CommitErrors.fileBeingReplaced(root.toString)
    }

  /** Returns the commits whose directories have none of the files. */
  private def withoutShown(
      commits: Seq[PendingCommits],
      files: Iterable[FileStatus]
  ): Seq[PendingCommits] =
    if (commits.size <= Few) {
      commits.filterNot { one =>
        files.exists(file => file.getPath == one.root || one.relative(file.getPath).isDefined)
      }
    } else {
      val above = mutable.HashSet.empty[Path]
      files.foreach { file =>
        var path = file.getPath
        while (path != null && above.add(path)) path = path.getParent
      }
      commits.filterNot(one => above(one.root))
    }

  /** Returns the unfinished commits in the table `root`. */
  def of(root: Path, conf: Configuration): PendingCommits =
    read(root, root.getFileSystem(conf), Set.empty)

  /** Returns the unfinished commits in each of the tables `roots`. */
  private[commit] def ofAll(roots: Set[Path], conf: Configuration): Seq[PendingCommits] =
    read(roots.toSeq, conf, Set.empty)

  /** Returns whether jobs may have committed to the same tables between two looks. */
  private[commit] def haveChanged(
      before: Seq[PendingCommits],
      after: Seq[PendingCommits]
  ): Boolean =
    changes(before) != changes(after)

  private def changes(commits: Seq[PendingCommits]): Set[(Path, (String, Option[CommitState]))] =
    commits.iterator.flatMap(commit => commit.changes.map(commit.root -> _)).toSet

  private def withoutFiles(roots: Seq[Path], files: Iterable[FileStatus]): Seq[Path] = {
    val found = files.iterator.map(_.getPath).toSet
    roots.filterNot(found)
  }

  private def read(
      roots: Seq[Path],
      conf: Configuration,
      empty: Set[Path]
  ): Seq[PendingCommits] = {
    // The threads of a parallel stream may belong to another user.
    val tables = roots.map(root => root -> root.getFileSystem(conf))
    ManyCalls.map(tables) { case (root, fs) => read(root, fs, empty) }
  }

  /**
   * Reads the notes of `root`.
   *
   * @param empty
   *   the directories that had no notes a moment ago
   * @param removed
   *   the jobs whose notes were listed a moment ago, and were removed before they were opened
   */
  @tailrec
  private def read(
      root: Path,
      fs: FileSystem,
      empty: Set[Path],
      removed: Set[String] = Set.empty
  ): PendingCommits = {
    val isMissing = empty.contains(fs.makeQualified(root))
    val listed = CommitNote.listed(fs, root, isMissing)
    def named(state: CommitState) =
      listed.notes.flatMap { case (name, file) => CommitNote.jobOf(name, state).map(_ -> file) }
    val replacing = named(CommitState.Replacing)
    val notes = replacing.toSeq.map { case (job, file) =>
      // A note that is listed again was not removed: its error says why it cannot be opened.
      if (removed(job)) job -> Some(CommitNote.readPresent(fs, file))
      else job -> CommitNote.read(fs, file)
    }
    // The job of a note that was removed meanwhile has ended.
    val ended = notes.collect { case (job, None) => job }
    if (ended.nonEmpty) read(root, fs, empty, removed ++ ended)
    else {
      val adding = named(CommitState.Adding).keySet
      // Without its note `adding`, a job has ended or was undone, and replaces nothing.
      val replaced = notes.flatMap(_._2).map { note =>
        if (adding(note.job)) note else note.copy(replaced = Nil, log = None)
      }
      new PendingCommits(
        fs.makeQualified(root),
        listed.marked,
        adding -- replacing.keySet,
        replaced
      )
    }
  }

  /**
   * Returns the function that gives the path of a file relative to `root`; None for a file that is
   * not below `root`. Schemes and hosts are not compared: a listing has them as the file system
   * spells them, `root` as the user does.
   */
  private[commit] def relative(root: Path): Path => Option[String] = {
    val above = root.toUri.getPath.stripSuffix(Path.SEPARATOR) + Path.SEPARATOR
    file => {
      val path = file.toUri.getPath
      Option.when(path.startsWith(above))(path.substring(above.length))
    }
  }

  /** Returns the file below `root` whose path is `relative`, the inverse of [[relative]]. */
  private[commit] def resolve(root: Path, relative: String): Path =
    Directories.child(root, relative)
}
