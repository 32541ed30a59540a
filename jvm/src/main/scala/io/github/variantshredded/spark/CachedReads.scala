package io.github.variantshredded.spark

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.CacheManager
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refreshes cached DataFrames that read a path after the path has been written. */
private[variantshredded] object CachedReads extends Logging {

  /** Describes a table that lists the files of one directory for each scan. */
  trait OfDirectory {

    /** Returns the directory with its file system, if the table has resolved it. */
    def directory: Option[Path]
  }

  /**
   * Lists the files of all cached reads of `path` again and drops their cached rows, as Spark does
   * after a write with its own file sources. The write has been committed before, so a failure is
   * only logged.
   *
   * Spark itself refreshes only its own relations and `FileTable`s; a table by name, or a path that
   * is named in SQL, is neither.
   */
  def refresh(session: classic.SparkSession, path: Path, hadoopConf: Configuration): Unit =
    attempt(path) {
      val fs = path.getFileSystem(hadoopConf)
      session.sharedState.cacheManager.recacheByPath(session, path, fs)
      recache(session, fs.makeQualified(path))
    }

  /** Refreshes the cached reads that Spark's own method does not know. A failure is only logged. */
  def refreshTables(session: classic.SparkSession, path: Path, hadoopConf: Configuration): Unit =
    attempt(path)(recache(session, path.getFileSystem(hadoopConf).makeQualified(path)))

  private def recache(session: classic.SparkSession, path: Path): Unit = {
    val cache = session.sharedState.cacheManager
    CacheInternals.recache(cache, session, plan => reads(cache, plan, path))
  }

  private def attempt(path: Path)(refresh: => Unit): Unit =
    try refresh
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        logWarning(s"Could not refresh the cached reads of $path", e)
    }

  /** Returns whether the plan reads a table at, above or below `written`. */
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
