package io.github.variantshredded.commit

/**
 * The jobs of this process that commit at the moment. A note of another job of this process was left
 * by a failure.
 *
 * They are among the system properties: this class may have been loaded more than once.
 */
private object ActiveJobs {

  def add(job: String): Unit = { System.setProperty(key(job), "true"); () }

  def remove(job: String): Unit = { System.clearProperty(key(job)); () }

  def contains(job: String): Boolean = System.getProperty(key(job)) != null

  private def key(job: String): String = s"io.github.variantshredded.commit.$job"
}
