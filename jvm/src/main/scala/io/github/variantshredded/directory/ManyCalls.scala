package io.github.variantshredded.directory

import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

/** Calls a file system for each of several paths, in parallel if they are many. */
private[variantshredded] object ManyCalls {

  /** So many calls are made one after another. */
  private final val Few = 8

  /**
   * Returns the results in the order of `values`. If a call fails, no further calls are made, and
   * the error is thrown when the calls have ended that run at that moment.
   */
  def map[A, B](values: Seq[A])(call: A => B): Seq[B] =
    if (values.size <= Few) values.map(call)
    else {
      // A parallel stream would throw a copy of the error, and leave the other calls running.
      val error = new AtomicReference(Option.empty[Throwable])
      def attempt(value: A): Option[B] =
        if (error.get.isDefined) None
        else
          try Some(call(value))
          catch {
            case e: Throwable =>
              error.compareAndSet(None, Some(e))
              None
          }
      val results = values.asJava.parallelStream.map[Option[B]](attempt(_)).toList
      error.get.foreach(throw _)
      results.asScala.toSeq.flatten
    }
}
