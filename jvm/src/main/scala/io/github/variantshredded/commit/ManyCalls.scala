package io.github.variantshredded.commit

import scala.jdk.CollectionConverters._

/** Calls a file system for each of several paths, in parallel if they are many. */
private[commit] object ManyCalls {

  /** So many calls are made one after another. */
  private final val Few = 8

  /** Returns the results in the order of `values`. */
  def map[A, B](values: Seq[A])(call: A => B): Seq[B] =
    if (values.size <= Few) values.map(call)
    else values.asJava.parallelStream.map[B](call(_)).toList.asScala.toSeq
}
