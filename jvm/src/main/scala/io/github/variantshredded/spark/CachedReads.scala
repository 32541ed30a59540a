package io.github.variantshredded.spark

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.CacheManager
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Cached DataFrames that read a path, after the path was written. */
private[variantshredded] object CachedReads extends Logging {

  /** A table that lists the files of one directory anew for each scan. */
  trait OfDirectory {

    /** The directory with its file system, if the table has one already. */
    def directory: Option[Path]
  }

  /**
   * Lists the files of all cached reads of `path` anew and drops their cached rows, as Spark does
   * after a write with its own file sources. The write has been committed by then, so that a failure
   * is only logged.
   *
   * What Spark itself looks for are its own relations and `FileTable`s. A table by name, or a path
   * named in SQL, is neither of them.
   */
  def refresh(session: classic.SparkSession, path: Path, hadoopConf: Configuration): Unit =
    try {
      val fs = path.getFileSystem(hadoopConf)
      val cache = session.sharedState.cacheManager
      cache.recacheByPath(session, path, fs)
      val written = fs.makeQualified(path)
      CacheInternals.recache(cache, session, plan => reads(cache, plan, written))
    } catch {
      case NonFatal(e)     => logWarning(s"Could not refresh the cached reads of $path", e)
      case e: LinkageError => logWarning(s"Could not refresh the cached reads of $path", e)
    }

  /** Whether the plan reads a table above or below `written`, or there. */
  private def reads(cache: CacheManager, plan: LogicalPlan, written: Path): Boolean = {
    val directories = plan.collectWithSubqueries { case relation: DataSourceV2Relation =>
      relation.table match {
        case table: OfDirectory => table.directory
        case _                  => None
      }
    }
    directories.flatten.exists { directory =>
      cache.isSubDir(written, directory) || cache.isSubDir(directory, written)
    }
  }
}
