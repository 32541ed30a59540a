package io.github.variantshredded.write

import org.apache.hadoop.conf.Configuration

/**
 * Keeps S3A's committers that stage files from deleting what is there before they move files to a
 * table: the files that a write keeps, and the commit notes. A commit itself deletes the files that
 * it replaces.
 */
private[write] object StagingConflicts {

  private final val Key = "fs.s3a.committer.staging.conflict-mode"

  /**
   * Sets the mode `append` for a job whose settings say `replace` or nothing. The settings of a job
   * go before those of a bucket.
   */
  def keepFiles(job: Configuration): Unit = {
    val mode = job.getTrimmed(Key, "")
    if (mode.isEmpty || mode.equalsIgnoreCase("replace")) job.set(Key, "append")
  }
}
