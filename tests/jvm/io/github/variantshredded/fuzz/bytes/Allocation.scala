package io.github.variantshredded.fuzz.bytes

import java.lang.management.ManagementFactory

import com.sun.management.ThreadMXBean

/** Limits the bytes of heap that the current thread allocates. */
object Allocation {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /** By this thread since it began; what has been freed counts too. */
  def soFar: Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)

  /**
   * Runs `body`, and fails if it takes more than `most` bytes. Loading classes takes memory too, much of
   * it where they are instrumented; so what took too much is run again, and that is what counts.
   *
   * @param most
   *   what the input justifies
   */
  def within(most: Long, what: => String)(body: => Unit): Unit =
    if (taken(body) > most) {
      val again = taken(body)
      if (again > most) throw new AssertionError(s"$what took $again bytes of heap, not $most.")
    }

  private def taken(body: => Unit): Long = {
    val before = soFar
    body
    soFar - before
  }
}
