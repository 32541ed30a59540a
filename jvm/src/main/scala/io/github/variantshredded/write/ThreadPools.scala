package io.github.variantshredded.write

import java.util.concurrent.{Executors, ExecutorService, TimeUnit}

/** Makes and ends pools of threads that write files. */
private[variantshredded] object ThreadPools {

  /**
   * Passes a pool of `size` threads to `body`. Then interrupts the threads and waits until all have
   * ended, even if the caller is interrupted. The caller can then delete their files.
   */
  def using[T](size: Int)(body: ExecutorService => T): T = {
    val threads = Executors.newFixedThreadPool(size)
    try body(threads)
    finally end(threads)
  }

  private def end(threads: ExecutorService): Unit = {
    threads.shutdownNow()
    var isInterrupted = false
    var hasEnded = false
    while (!hasEnded)
      try hasEnded = threads.awaitTermination(1, TimeUnit.MINUTES)
      catch { case _: InterruptedException => isInterrupted = true }
    if (isInterrupted) Thread.currentThread.interrupt()
  }
}
