package io.github.variantshredded.commit

/**
 * Remembers the jobs of this process that are committing. If a note names another job of this
 * process, that job has failed and left it.
 *
 * They are kept in the system properties, because this class may be loaded more than once.
 */
private object ActiveJobs {

  def add(job: String): Unit = { System.setProperty(key(job), "true"); () }

  def remove(job: String): Unit = { System.clearProperty(key(job)); () }

  def contains(job: String): Boolean = System.getProperty(key(job)) != null

  private def key(job: String): String = s"io.github.variantshredded.commit.$job"
}
