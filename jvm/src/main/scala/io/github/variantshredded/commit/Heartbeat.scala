package io.github.variantshredded.commit

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * Writes the heartbeat of a job that commits: rewrites a file every ten seconds, so that other
 * jobs see that this one is alive.
 *
 * The file is not the note itself: if a slow file system restored a note after its removal, other
 * jobs would delete the files of the job.
 */
private object Heartbeat {

  /** Milliseconds between two heartbeats. */
  final val Period: Long = 10 * 1000L

  /** Writes the heartbeat again and again until the result is closed. */
  def start(fs: FileSystem, file: Path, clock: CommitClock): AutoCloseable =
    clock.every(Period) {
      try fs.create(file, true).close()
      catch { case NonFatal(_) => () } // The next attempt may succeed.
    }
}
