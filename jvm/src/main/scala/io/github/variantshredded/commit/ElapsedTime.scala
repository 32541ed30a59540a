package io.github.variantshredded.commit

/**
 * Measures the time that passes, including the time for which the machine is suspended.
 * `System.nanoTime` does not count that time on Linux and macOS, but other machines regard a job
 * that was silent for so long as dead.
 *
 * @param awake
 *   returns nanoseconds, which need not count suspended time
 * @param wall
 *   returns the time of day in milliseconds, which may be set to another time
 */
private[commit] final class ElapsedTime(awake: () => Long, wall: () => Long) {
  private var lastAwake = awake()
  private var lastWall = wall()
  private var suspended = 0L

  /** Returns nanoseconds since some moment. They never decrease if `awake` never does. */
  def nanos: Long = synchronized {
    val awakeNow = awake()
    val wallNow = wall()
    val missed = (wallNow - lastWall) * 1000000 - (awakeNow - lastAwake)
    if (missed > ElapsedTime.MinSuspension) suspended += missed
    lastAwake = awakeNow
    lastWall = wallNow
    awakeNow + suspended
  }
}

private[commit] object ElapsedTime {

  // Smaller differences come from reading two clocks, and from corrections of the time of day.
  private final val MinSuspension = 1000L * 1000 * 1000
}
