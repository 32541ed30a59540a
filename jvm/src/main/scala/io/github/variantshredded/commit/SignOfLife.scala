package io.github.variantshredded.commit

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * Tells other machines that a job which commits is alive: writes `file` anew every ten seconds.
 *
 * A file of its own: a note that a slow file system brought back after its removal would have the
 * files of the job deleted.
 */
private final class SignOfLife private (fs: FileSystem, file: Path) extends Runnable {

  private val thread = new Thread(this, "variant-shredded-commit")

  override def run(): Unit =
    try
      while (true) {
        Thread.sleep(SignOfLife.Period)
        try fs.create(file, true).close()
        catch { case NonFatal(_) => () } // The next one may succeed.
      }
    catch { case _: InterruptedException => () }

  def stop(): Unit = thread.interrupt()
}

private object SignOfLife {

  private final val Period = 10 * 1000L

  def start(fs: FileSystem, file: Path): SignOfLife = {
    val sign = new SignOfLife(fs, file)
    sign.thread.setDaemon(true)
    sign.thread.start()
    sign
  }
}
