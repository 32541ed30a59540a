package io.github.variantshredded.spark

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic

/** Cached DataFrames that read a path, after the path was written. */
private[variantshredded] object CachedReads extends Logging {

  /**
   * Lists the files of all cached reads of `path` anew and drops their cached rows, as Spark does
   * after a write with its own file sources. The write has been committed by then, so that a failure
   * is only logged.
   */
  def refresh(session: classic.SparkSession, path: Path, hadoopConf: Configuration): Unit =
    try {
      val fs = path.getFileSystem(hadoopConf)
      session.sharedState.cacheManager.recacheByPath(session, path, fs)
    } catch {
      case NonFatal(e) => logWarning(s"Could not refresh the cached reads of $path", e)
    }
}
