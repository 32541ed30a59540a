package io.github.variantshredded.commit

/**
 * Holds the times for which a job waits for others, in milliseconds. A job that commits writes its
 * heartbeat every ten seconds.
 *
 * @param silenceOfUnknown
 *   time after which a job without a heartbeat is regarded as dead, if nothing is known about its
 *   process
 * @param silenceOfRunning
 *   the same time if its process runs: then the process is suspended, or the job has failed and
 *   could not delete its note
 * @param total
 *   time after which a waiting job fails
 * @param clock
 *   measures these times
 */
private[variantshredded] final case class CommitPatience(
    silenceOfUnknown: Long = 60 * 1000L,
    silenceOfRunning: Long = 5 * 60 * 1000L,
    total: Long = 30 * 60 * 1000L,
    clock: CommitClock = CommitClock.OfSystem
)
