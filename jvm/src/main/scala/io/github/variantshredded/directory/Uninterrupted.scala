package io.github.variantshredded.directory

/**
 * Runs what has to be cleaned up after a failure, also in a thread that was interrupted: Hadoop's
 * client of HDFS fails each call in such a thread. The thread is interrupted again at the end.
 */
private[variantshredded] object Uninterrupted {

  def apply[T](body: => T): T = {
    val wasInterrupted = Thread.interrupted()
    try body
    finally if (wasInterrupted) Thread.currentThread.interrupt()
  }
}
