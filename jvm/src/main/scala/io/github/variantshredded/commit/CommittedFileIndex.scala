package io.github.variantshredded.commit

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FileStatusCache, InMemoryFileIndex, NoopCache}
import org.apache.spark.sql.types.StructType

/** Spark's index of files, without those that [[PendingCommits]] hide. */
private[variantshredded] final class CommittedFileIndex(
    session: SparkSession,
    roots: Seq[Path],
    parameters: Map[String, String],
    schema: Option[StructType],
    cache: FileStatusCache = NoopCache
) extends InMemoryFileIndex(session, roots, parameters, schema, cache) {

  // Called by the constructor of InMemoryFileIndex: only parameters can be used.
  override def listLeafFiles(paths: Seq[Path]): mutable.LinkedHashSet[FileStatus] =
    mutable.LinkedHashSet.from(PendingCommits.visible(paths, hadoopConf) { () =>
      cache.invalidateAll()
      super.listLeafFiles(paths)
    })
}
