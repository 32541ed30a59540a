package io.github.variantshredded.errors

/** Makes the exceptions for commits, and for readers that list files meanwhile. */
object CommitErrors {

  /** Returns the error for a job that has waited too long for the commits of other jobs. */
  def concurrentWrite(path: String, other: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': other jobs have been committing there for half an hour, the last " +
        s"one seen by $other. Nothing was written. Run the job again when they have ended.",
      "40001"
    )

  /**
   * Returns the error for a job whose commit was undone by another job, which regarded it as dead.
   *
   * @param mayHaveEnded
   *   whether the other job may have finished the commit, and later ones may have replaced its rows
   */
  def commitTakenOver(
      path: String,
      mayHaveEnded: Boolean = false,
      cause: Throwable = null
  ): VariantShreddedException = {
    val (ended, remedy) =
      if (mayHaveEnded)
        (
          "undid its commit, or finished it",
          "See which rows are there before you run the job again."
        )
      else ("undid its commit", "Run the job again.")
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': this process was suspended for more than a minute, so that " +
        s"another job regarded it as ended, and $ended. $remedy",
      "40001",
      cause = cause
    )
  }

  /**
   * Returns the error for a job whose tasks move files before it commits, if another job replaced
   * them.
   */
  def replacedBeforeCommit(path: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': another job has replaced files of this one, which are in place " +
        "before the commit if mapreduce.fileoutputcommitter.algorithm.version is 2. Run the job " +
        "again, or with version 1.",
      "40001"
    )

  /**
   * Returns the error for a job some of whose files were removed before it committed, with its
   * directory or without.
   */
  def directoryReplaced(path: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': files of the job are gone. The directory has been removed or " +
        "replaced since the job began, or another job has deleted '_temporary' there. " +
        "Run the job again.",
      "40001"
    )

  /**
   * Returns the error for a reader that cannot list files because they change during each attempt.
   */
  def commitsWhileListing(path: String, attempts: Int): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot list the files of '$path': jobs committed there during each of $attempts attempts. " +
        "Run the query again when fewer jobs write to the directory.",
      "40001"
    )

  /** Returns the error for a reader of a file that a job is replacing by a directory. */
  def fileBeingReplaced(path: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot list the files of '$path': a job is replacing the file of this name by a directory, or " +
        "has died while it did so. Run the query again. If no job writes there, the next save to the " +
        "path gives the file its name back first.",
      "40001"
    )

  /**
   * Returns the error for a job that was to replace a file by a directory while another one does
   * so.
   */
  def fileReplacedByTwo(path: String, aside: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot replace the file '$path' by a directory: another job is doing so, or has died while " +
        s"it did so, and has put the old file aside as '$aside'. Nothing was written. Run the job " +
        "again when the other one has ended. If no job writes there, compare the two files, and " +
        "delete one.",
      "40001"
    )

  /**
   * Returns the error for a file that another job has replaced by a directory, or is replacing.
   *
   * @param aside
   *   the name that the file has now, if this job has put it aside
   */
  def fileReplaced(path: String, aside: Option[String] = None): VariantShreddedException = {
    val kept = aside.fold("") { name =>
      s" The former file has the name '$name' now: delete it if nobody needs its rows."
    }
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot replace the file '$path' by a directory: another job has replaced the file while " +
        s"this job ran, or is replacing it. Nothing was written. Run the job again.$kept",
      "40001"
    )
  }

  /** Returns the error for files that could not be deleted after others of the same commit were. */
  def replacedFilesLeft(path: String, cause: Throwable): VariantShreddedException =
    new VariantShreddedException(
      "FILE_SYSTEM_ERROR",
      s"A commit to '$path' has taken effect, and only a part of the files that it replaces could be " +
        s"deleted: ${cause.getMessage} Readers of this source ignore the other files. Each write to " +
        "the directory first deletes them, and fails as long as it cannot. Make them deletable, or " +
        "delete them.",
      "58030",
      cause = cause
    )

  /** Returns the error for a commit that could not be finished and perhaps not be undone. */
  def commitInDoubt(path: String, cause: Throwable): VariantShreddedException =
    new VariantShreddedException(
      "FILE_SYSTEM_ERROR",
      s"A commit to '$path' could not delete a file that it replaces (${cause.getMessage}), and may " +
        "have taken effect nevertheless, because the file system did not answer or another job has " +
        "taken it over. See which rows the directory has before you run the job again.",
      "58030",
      cause = cause
    )

  /**
   * Returns the error for a damaged list of the files that a commit replaces, as after a power
   * failure.
   */
  def lostNote(note: String, cause: Throwable = null): VariantShreddedException =
    new VariantShreddedException(
      "CORRUPT_COMMIT_NOTE",
      s"The file '$note', in which an overwrite has listed the files that it replaces, is damaged, " +
        "so that old files cannot be told from new ones. Compare the files by their names and times, " +
        "delete the old ones, then this file.",
      "58030",
      cause = cause
    )
}
