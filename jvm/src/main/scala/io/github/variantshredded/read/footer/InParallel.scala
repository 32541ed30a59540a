package io.github.variantshredded.read.footer

import java.util.concurrent.Executors

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

/**
 * Reads footers at the same time, because a request to an object store takes much longer than its
 * answer takes to be parsed.
 *
 * @param most
 *   the maximum number of footers that are read at the same time, for all calls together
 */
private[footer] class InParallel(most: => Int) {
  import FootersAtOnce._

  private var running = 0

  /**
   * Returns what `read` returns for each of the files. The first files tell how large the footers are,
   * on which the number of reads at the same time depends.
   *
   * @throws java.lang.Throwable
   *   the error of the first file whose footer cannot be read
   */
  def apply[F, T](files: Seq[F])(read: F => T): Seq[T] = {
    val (first, others) = files.splitAt(Few)
    together(first, Few)(read) ++ together(others, Max)(read)
  }

  private def together[F, T](files: Seq[F], threads: Int)(read: F => T): Seq[T] =
    if (files.size <= 1) files.map(read)
    else {
      val pool = Executors.newFixedThreadPool(math.min(threads, files.size))
      implicit val context: ExecutionContext = ExecutionContext.fromExecutorService(pool)
      try {
        // A Future that ends with a fatal error would never be completed.
        val results = files.map(file => Future(tried(inTurn(read(file)))))
        results.map(Await.result(_, Duration.Inf).fold(throw _, identity))
      } finally {
        pool.shutdownNow()
        ()
      }
    }

  private def inTurn[T](read: => T): T = {
    synchronized {
      while (running >= math.max(1, most)) wait()
      running += 1
    }
    try read
    finally
      synchronized {
        running -= 1
        notifyAll()
      }
  }

  private def tried[T](body: => T): Either[Throwable, T] =
    try Right(body)
    catch { case e: Throwable => Left(e) }
}

private[read] object InParallel
    extends InParallel(FootersAtOnce.most(Runtime.getRuntime.maxMemory, FileTail.usualSize))
