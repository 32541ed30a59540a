package io.github.variantshredded.write

import java.io.IOException
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.commit.Directories
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileUtil, Path}

/**
 * Copies data files into another directory, some at the same time.
 *
 * The driver copies them, because no thread may still write a file when a failed job deletes its
 * files: tasks on executors could.
 */
private[write] object FileCopies {

  /**
   * Copies `files` to `target`, and returns when no thread writes there any more.
   *
   * @param job
   *   id of the job, which becomes a part of the names of the copies
   */
  def copy(conf: Configuration, files: Seq[FileStatus], target: Path, job: String): Unit = {
    val fs = target.getFileSystem(conf)
    fs.mkdirs(target)
    def copyOne(file: FileStatus, number: Int): Unit = {
      val suffix = file.getPath.getName.dropWhile(_ != '.')
      val copy = Directories.child(target, f"part-$number%05d-$job$suffix")
      FileUtil.copy(fs, file.getPath, fs, copy, false, true, conf)
      if (fs.getFileStatus(copy).getLen != file.getLen)
        throw new IOException(s"The copy $copy is not as long as ${file.getPath}.")
    }
    val copies = files.zipWithIndex.map { case (file, i) =>
      new Callable[Unit] { override def call(): Unit = copyOne(file, i) }
    }
    val threads = Executors.newFixedThreadPool(math.min(files.size, AtOnce))
    try threads.invokeAll(copies.asJava).asScala.map(done => Try(done.get)).foreach(_.get)
    finally ThreadPools.end(threads)
  }

  private final val AtOnce = 8
}
