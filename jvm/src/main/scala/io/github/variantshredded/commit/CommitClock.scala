package io.github.variantshredded.commit

import java.util.concurrent.ThreadLocalRandom

/** Tells a commit the time, and lets it wait. Tests replace it to simulate hours in milliseconds. */
private[variantshredded] trait CommitClock {

  /**
   * Returns nanoseconds since some moment. Unlike `System.nanoTime`, they include the time for which
   * the machine is suspended.
   */
  def nanos: Long

  /** Returns the milliseconds since a moment that [[nanos]] has told. */
  final def millisSince(moment: Long): Long = (nanos - moment) / 1000000

  /** Waits for this number of milliseconds. */
  def sleep(millis: Long): Unit

  /** Waits for half of `millis` milliseconds or more, so that several jobs do not wait in step. */
  def sleepUpTo(millis: Long): Unit

  /**
   * Calls `action` again and again with `millis` milliseconds in between, in a thread of its own,
   * until the result is closed. A call that runs at that moment may end later.
   */
  def every(millis: Long)(action: => Unit): AutoCloseable
}

private[variantshredded] object CommitClock {

  /** The clock of the system. */
  object OfSystem extends CommitClock {

    private val elapsed = new ElapsedTime(() => System.nanoTime, () => System.currentTimeMillis)

    override def nanos: Long = elapsed.nanos

    override def sleep(millis: Long): Unit = Thread.sleep(millis)

    override def sleepUpTo(millis: Long): Unit =
      Thread.sleep(ThreadLocalRandom.current.nextLong(millis / 2, millis))

    override def every(millis: Long)(action: => Unit): AutoCloseable = {
      val repetition = new Repetition(millis, () => action)
      repetition.start()
      repetition
    }
  }

  private final class Repetition(millis: Long, action: () => Unit)
      extends Thread("variant-shredded-commit")
      with AutoCloseable {

    setDaemon(true)

    // File systems turn an interrupt into an exception of their own, and the thread forgets it.
    @volatile private var closed = false

    override def run(): Unit =
      try
        while (!closed) {
          Thread.sleep(millis)
          action()
        }
      catch { case _: InterruptedException => () }

    override def close(): Unit = {
      closed = true
      interrupt()
    }
  }
}
