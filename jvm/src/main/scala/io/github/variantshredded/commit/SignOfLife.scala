package io.github.variantshredded.commit

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * Writes the sign of life of a job that commits: rewrites `file` every ten seconds, so that
 * processes on other machines see that the job is alive.
 *
 * The file is not the note itself: if a slow file system restored a note after its removal, other
 * jobs would delete the files of the job.
 */
private final class SignOfLife private (fs: FileSystem, file: Path) extends Runnable {

  private val thread = new Thread(this, "variant-shredded-commit")

  // File systems turn an interrupt into an exception of their own, and the thread forgets it.
  @volatile private var stopped = false

  override def run(): Unit =
    try
      while (!stopped) {
        Thread.sleep(SignOfLife.Period)
        try fs.create(file, true).close()
        catch { case NonFatal(_) => () } // The next attempt may succeed.
      }
    catch { case _: InterruptedException => () }

  def stop(): Unit = {
    stopped = true
    thread.interrupt()
  }
}

private object SignOfLife {

  /** Milliseconds between two signs. */
  final val Period: Long = 10 * 1000L

  def start(fs: FileSystem, file: Path): SignOfLife = {
    val sign = new SignOfLife(fs, file)
    sign.thread.setDaemon(true)
    sign.thread.start()
    sign
  }
}
