package io.github.variantshredded.simulation

import scala.collection.mutable

/**
 * Something that happened between two moments.
 *
 * @param end
 *   `Int.MaxValue` if it may take effect at any time after its start
 */
sealed trait Event {
  def start: Int
  def end: Int
}

object Event {

  /**
   * A job that removes all rows if it `overwrites`, and then adds its own if it `adds` some.
   *
   * @param isCertain
   *   whether the job has succeeded; otherwise it may have taken effect or not
   */
  final case class Write(
      job: String,
      overwrites: Boolean,
      adds: Boolean,
      isCertain: Boolean,
      start: Int,
      end: Int
  ) extends Event

  /** A reader that saw the rows of these jobs. */
  final case class Look(jobs: Set[String], start: Int, end: Int) extends Event
}

/** Finds out whether events can have happened one after the other, each between its two moments. */
object SerialHistory {

  import Event._

  /** Returns whether there is an order of the events after which the rows of `last` are there. */
  def explains(events: Seq[Event], first: Set[String], last: Set[String]): Boolean = {
    val all = events.toIndexedSeq
    val failed = mutable.Set.empty[(Set[Int], Set[String])]

    def isPossible(done: Set[Int], jobs: Set[String]): Boolean = {
      val left = all.indices.filterNot(done)
      val required = left.filter { i =>
        all(i) match {
          case write: Write => write.isCertain
          case _            => true
        }
      }
      (required.isEmpty && jobs == last) || (failed.add(done -> jobs) && left.exists { i =>
        val event = all(i)
        required.forall(other => other == i || all(other).end >= event.start) && (event match {
          case look: Look   => look.jobs == jobs && isPossible(done + i, jobs)
          case write: Write =>
            val before = if (write.overwrites) Set.empty[String] else jobs
            isPossible(done + i, if (write.adds) before + write.job else before)
        })
      })
    }

    isPossible(Set.empty, first)
  }
}
