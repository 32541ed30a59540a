package io.github.variantshredded.write

import java.io.IOException
import java.util.concurrent.Callable

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.directory.{Directories, KeyMaterial}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileUtil, Path}

/**
 * Copies data files into another directory, some at the same time.
 *
 * The driver copies them, because no thread may still write a file when a failed job deletes its
 * files: tasks on executors could.
 */
private[write] object FileCopies {

  /** Describes a file and its copy. */
  final case class Copy(from: FileStatus, to: Path) {

    /** Returns what a listing would show of the copy, if it were written now. */
    def status: FileStatus =
      new FileStatus(from.getLen, false, 1, from.getBlockSize, System.currentTimeMillis, to)
  }

  /**
   * Returns the copies of `files` in `target`.
   *
   * @param job
   *   id of the job, which becomes a part of the names of the copies
   */
  def apply(files: Seq[FileStatus], target: Path, job: String): Seq[Copy] =
    files.zipWithIndex.map { case (file, number) =>
      val suffix = file.getPath.getName.dropWhile(_ != '.')
      Copy(file, Directories.child(target, f"part-$number%05d-$job$suffix"))
    }

  /** Returns the copies of the files that hold keys: each is named for a copy among `copies`. */
  def ofKeys(keys: Seq[FileStatus], copies: Seq[Copy]): Seq[Copy] = {
    val holders = keys.map(file => file.getPath -> file).toMap
    copies.flatMap { copy =>
      holders.get(KeyMaterial.of(copy.from.getPath)).map(Copy(_, KeyMaterial.of(copy.to)))
    }
  }

  /** Writes the copies, and returns when no thread writes any more. */
  def write(conf: Configuration, copies: Seq[Copy]): Unit = {
    def writeOne(copy: Copy): Unit = {
      val fs = copy.to.getFileSystem(conf)
      FileUtil.copy(fs, copy.from.getPath, fs, copy.to, false, true, conf)
      if (fs.getFileStatus(copy.to).getLen != copy.from.getLen)
        throw new IOException(
          s"The copy ${copy.to} is not as long as ${copy.from.getPath}."
        )
    }
    val tasks = copies.map { copy =>
      new Callable[Unit] { override def call(): Unit = writeOne(copy) }
    }
    ThreadPools.using(math.min(copies.size, AtOnce)) { threads =>
      threads.invokeAll(tasks.asJava).asScala.map(done => Try(done.get)).foreach(_.get)
    }
  }

  private final val AtOnce = 8
}
