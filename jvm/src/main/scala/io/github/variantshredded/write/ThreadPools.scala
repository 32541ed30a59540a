package io.github.variantshredded.write

import java.util.concurrent.{ExecutorService, TimeUnit}

/** Ends pools of threads that write files. */
private[variantshredded] object ThreadPools {

  /**
   * Interrupts the threads of a pool, and returns when none of them runs any more, even if the
   * caller is interrupted meanwhile: afterwards, files can be deleted that they have written.
   */
  def end(threads: ExecutorService): Unit = {
    threads.shutdownNow()
    var isInterrupted = false
    var hasEnded = false
    while (!hasEnded)
      try hasEnded = threads.awaitTermination(1, TimeUnit.MINUTES)
      catch { case _: InterruptedException => isInterrupted = true }
    if (isInterrupted) Thread.currentThread.interrupt()
  }
}
