package io.github.variantshredded.commit

import java.io.IOException
import java.util.UUID
import java.util.concurrent.ConcurrentLinkedQueue

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.{
  DataFiles,
  Directories,
  HiddenNames,
  ManyCalls,
  Uninterrupted
}
import io.github.variantshredded.spark.EmptyDirectories
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.spark.internal.Logging

/** Moves the files that a job has committed to one directory to another directory. */
private[variantshredded] object CommittedMove extends Logging {

  // The names of files without rows that a job writes.
  private val WithoutRows = Set(
    FileOutputCommitter.SUCCEEDED_FILE_NAME,
    ParquetFileWriter.PARQUET_METADATA_FILE,
    ParquetFileWriter.PARQUET_COMMON_METADATA_FILE
  )

  /** Returns the name that the file `path` has while a directory is about to replace it. */
  def aside(path: Path): Path = Directories.child(path.getParent, s".${path.getName}.replaced")

  /**
   * Says what has become of moves to a directory whose processes may have died.
   *
   * @param committed
   *   the directories whose move has committed: the last job that has committed is the one that wrote
   *   the directory, and its rows are there
   * @param isOfOthers
   *   whether a job that wrote none of the directories has committed
   */
  final case class Outcome(committed: Seq[Path], isOfOthers: Boolean)

  /** Finds the outcome of the moves of `from` to `to`, to which no other job may commit meanwhile. */
  def outcome(fs: FileSystem, from: Seq[Path], to: Path): Outcome = {
    val last = CommitNote.lastJobs(fs, to)
    val jobs = from.map(directory => directory -> CommitNote.lastJobs(fs, directory))
    val hasRows = restsOf(fs, to).isEmpty
    Outcome(
      jobs.collect { case (directory, ofMove) if hasRows && ofMove.exists(last) => directory },
      (last -- jobs.flatMap(_._2)).nonEmpty
    )
  }

  /**
   * Removes the directory `to` if it has only what an undone move may leave. A file that another
   * job writes meanwhile stays, and the directory with it.
   */
  def removeRests(fs: FileSystem, to: Path): Unit = restsOf(fs, to).foreach { rests =>
    rests.files.foreach(fs.delete(_, false))
    DataFiles.removeEmpty(fs, to, rests.directories)
    CommitNote.removeRests(fs, to)
    EmptyDirectories.remove(fs, to)
  }

  /** A file or directory that gets another path. */
  private final case class Move(from: Path, to: Path)

  /** What moves that were undone have left. */
  private final case class Rests(files: Seq[Path], directories: Seq[Path])

  /** Returns what there is in a directory besides commit notes; None if there may be rows. */
  private def restsOf(fs: FileSystem, root: Path): Option[Rests] = {
    val files = mutable.ArrayBuffer.empty[Path]
    val directories = mutable.ArrayBuffer.empty[Path]
    def hasRows(directory: Path): Boolean =
      fs.listStatus(directory).exists { entry =>
        val path = entry.getPath
        if (NotesDirectory.includes(path)) false
        else if (entry.isDirectory) {
          directories += path
          hasRows(path)
        } else {
          files += path
          !WithoutRows(path.getName)
        }
      }
    Option.unless(hasRows(root))(Rests(files.toSeq, directories.toSeq))
  }

  /**
   * Moves the files below `from` to the same paths below `to`, and deletes `from`.
   *
   * The move is a commit of the job that wrote the files: readers of `to` see all of them or none,
   * whether the file system renames directories at once or not. If it fails, no file stays in `to`.
   * If the process dies, the next job that commits to `to` deletes the files that are there.
   *
   * @param check
   *   throws an error if the files must not be moved to what others have written to `to` meanwhile;
   *   called while no other job commits there
   */
  def apply(fs: FileSystem, conf: Configuration, from: Path, to: Path)(check: => Unit): Unit = {
    // A job without files has left no mark.
    val job = CommitNote.lastJobs(fs, from).headOption.getOrElse(UUID.randomUUID.toString)
    val move = new CommittedMove(fs, from, to)
    try
      ExclusiveCommit(to, conf, job) { commit =>
        check
        commit.add(move.run())
      }
    catch {
      case e: Throwable =>
        try Uninterrupted(move.undo())
        catch { case further: IOException => e.addSuppressed(further) }
        throw e
    }
    try {
      fs.delete(from, true)
      ()
    } catch { case e: IOException => logWarning(s"Could not delete the directory $from", e) }
  }
}

/** Moves each file by itself, and remembers the places to which it moved them. */
private final class CommittedMove(fs: FileSystem, from: Path, to: Path) {
  import CommittedMove.Move

  // Calls that run at the same time add to these.
  private val files = new ConcurrentLinkedQueue[Path]
  private val directories = new ConcurrentLinkedQueue[Path]

  /** Moves file by file: a directory that is renamed to an existing one would end up within it. */
  def run(): Unit = {
    val (hidden, shown) = moves.partition(move => HiddenNames.hides(move.from.getName))
    ManyCalls.map(shown)(moveFile)
    // Files such as _SUCCESS come last. Another job may have written one.
    ManyCalls.map(hidden)(move => if (!fs.exists(move.to)) moveFile(move))
    ()
  }

  def undo(): Unit = {
    ManyCalls.map(files.asScala.toSeq)(fs.delete(_, false))
    DataFiles.removeEmpty(fs, to, directories.asScala.toSeq)
  }

  /** Makes the directories below `to`, level by level, and returns the files that are to be moved. */
  private def moves: Seq[Move] = {
    val found = Seq.newBuilder[Move]
    var level = Seq(Move(from, to))
    while (level.nonEmpty) {
      val (below, here) = ManyCalls.map(level)(entries).flatten.partition(_._1.isDirectory)
      found ++= here.map(_._2)
      level = below.map(_._2).filterNot(move => HiddenNames.hides(move.from.getName))
    }
    found.result()
  }

  private def entries(directory: Move): Seq[(FileStatus, Move)] = {
    directories.add(directory.to)
    fs.mkdirs(directory.to)
    fs.listStatus(directory.from).toSeq.map { entry =>
      val path = entry.getPath
      entry -> Move(path, Directories.child(directory.to, path.getName))
    }
  }

  private def moveFile(move: Move): Unit = {
    // Before the call, which may move the file and throw an exception.
    files.add(move.to)
    if (!fs.rename(move.from, move.to))
      throw new IOException(s"Cannot move ${move.from} to ${move.to}")
  }
}
