package io.github.variantshredded.read.footer

import java.util.concurrent.Executors

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

/** Reads some footers at a time. */
private[read] object InParallel {

  private final val AtOnce = 8

  /**
   * Returns what `read` returns for each of the files.
   *
   * @throws java.lang.Throwable
   *   the error of the first file whose footer cannot be read
   */
  def apply[F, T](files: Seq[F])(read: F => T): Seq[T] =
    if (files.size <= 1) files.map(read)
    else {
      val threads = Executors.newFixedThreadPool(math.min(AtOnce, files.size))
      implicit val context: ExecutionContext = ExecutionContext.fromExecutorService(threads)
      try {
        // A Future that ends with a fatal error would never be completed.
        val results = files.map(file => Future(tried(read(file))))
        results.map(Await.result(_, Duration.Inf).fold(throw _, identity))
      } finally {
        threads.shutdownNow()
        ()
      }
    }

  private def tried[T](body: => T): Either[Throwable, T] =
    try Right(body)
    catch { case e: Throwable => Left(e) }
}
