package io.github.variantshredded.commit

/**
 * How long a job waits for others, in milliseconds. A job that commits gives a sign of life every ten
 * seconds.
 *
 * @param silenceOfUnknown
 *   a job without a sign of life for so long is taken for dead if nothing is known of its process
 * @param silenceOfRunning
 *   the same if its process runs: either that is suspended, or the job has failed and could not remove
 *   its note
 * @param total
 *   then a job that still waits fails
 */
private[variantshredded] final case class CommitPatience(
    silenceOfUnknown: Long = 60 * 1000L,
    silenceOfRunning: Long = 5 * 60 * 1000L,
    total: Long = 30 * 60 * 1000L
)
