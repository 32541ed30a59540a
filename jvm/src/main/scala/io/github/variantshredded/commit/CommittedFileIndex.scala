package io.github.variantshredded.commit

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FileStatusCache, InMemoryFileIndex, NoopCache}
import org.apache.spark.sql.types.StructType

/** Spark's index of files, without the files that [[PendingCommits]] hides. */
private[variantshredded] final class CommittedFileIndex(
    session: SparkSession,
    roots: Seq[Path],
    parameters: Map[String, String],
    schema: Option[StructType],
    cache: FileStatusCache = NoopCache
) extends InMemoryFileIndex(session, roots, parameters, schema, cache) {

  // The constructor of InMemoryFileIndex calls this method, so it can use only parameters.
  override def listLeafFiles(paths: Seq[Path]): mutable.LinkedHashSet[FileStatus] =
    mutable.LinkedHashSet.from(PendingCommits.visible(paths, hadoopConf) { () =>
      cache.invalidateAll()
      super.listLeafFiles(paths)
    })
}
