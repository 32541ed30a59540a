package io.github.variantshredded.write

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/**
 * Keeps S3A's committers that stage files from deleting what is there before they move files to a
 * table: the files that a write keeps, and the commit notes. A commit itself deletes the files that
 * it replaces.
 */
private[write] object StagingConflicts {

  private final val Key = "fs.s3a.committer.staging.conflict-mode"

  /** Sets the mode `append` for a job if the settings, or those of the bucket, say `replace`. */
  def keepFiles(job: Configuration, output: Path): Unit = {
    // The settings of a file system are those of its bucket; the ones of a job go before them.
    val ofBucket = Option(output.getFileSystem(job).getConf).flatMap(conf => Option(conf.get(Key)))
    val mode = job.getTrimmed(Key, ofBucket.fold("")(_.trim))
    if (mode.equalsIgnoreCase("replace")) job.set(Key, "append")
  }
}
