package io.github.variantshredded.read

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic

/** Cached DataFrames that read a path, after the path was written. */
private[variantshredded] object CachedReads {

  /**
   * Lists the files of all cached reads of `path` anew and drops their cached rows, as Spark does
   * after a write with its own file sources.
   */
  def refresh(session: classic.SparkSession, path: Path, hadoopConf: Configuration): Unit =
    session.sharedState.cacheManager
      .recacheByPath(session, path, path.getFileSystem(hadoopConf))
}
