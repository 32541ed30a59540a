package io.github.variantshredded.commit

import scala.collection.mutable

import io.github.variantshredded.directory.{Directories, HiddenNames, PartitionValues}
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FileStatusCache, InMemoryFileIndex, NoopCache}
import org.apache.spark.sql.types.StructType

/**
 * Lists files as Spark's index does, but leaves out the files that [[PendingCommits]] hides, and
 * keeps the values of partition columns as they were written.
 *
 * @param ofPattern
 *   whether the roots match a pattern of paths, and so may be parts of a table: then its commit notes
 *   and the log of the stream that writes it hide files too
 * @param ofSeveral
 *   whether the roots are several paths of a read, each of which may be a directory with the log of
 *   a stream
 * @param ofFiles
 *   whether the roots are files
 * @param listed
 *   the files, if they have been listed already; they are listed again if the index is refreshed
 */
private[variantshredded] final class CommittedFileIndex(
    session: SparkSession,
    roots: Seq[Path],
    parameters: Map[String, String],
    schema: Option[StructType],
    cache: FileStatusCache = NoopCache,
    ofPattern: Boolean = false,
    ofSeveral: Boolean = false,
    ofFiles: Boolean = false,
    listed: Iterator[mutable.LinkedHashSet[FileStatus]] = Iterator.empty
) extends InMemoryFileIndex(
      session,
      roots.map(Directories.rooted(_)),
      parameters,
      schema,
      cache
    )
    with PartitionValues {

  // The constructor of InMemoryFileIndex calls this method, so it can use only parameters.
  override def listLeafFiles(paths: Seq[Path]): mutable.LinkedHashSet[FileStatus] =
    listed.nextOption().getOrElse(inTables(paths)(super.listLeafFiles(paths)))

  /** Returns what matches the paths of a read, and the files there at the same moment. */
  private def matching(paths: PathMatches): (Seq[Path], mutable.LinkedHashSet[FileStatus]) = {
    // A commit may have changed the matches before its notes are looked for, or later.
    var matches = paths.resolve()
    val files = inTables(matches) {
      matches = paths.resolve()
      super.listLeafFiles(matches)
    }
    (matches, files)
  }

  private def inTables(
      paths: => Seq[Path]
  )(list: => Iterable[FileStatus]): mutable.LinkedHashSet[FileStatus] = {
    // From Spark 4.3 on, a setting can let listings return names that begin with `_`.
    def committed(): Iterable[FileStatus] =
      PendingCommits
        .visible(paths, hadoopConf, ofPattern, ofFiles) { () =>
          cache.invalidateAll()
          list
        }
        .filterNot(file => NotesDirectory.includes(file.getPath))
    def inLogs(tablesOf: Path => Seq[Path]) =
      EnclosingTables.inLogs(session, hadoopConf, tablesOf)(() => committed())
    mutable.LinkedHashSet.from(
      if (ofPattern) inLogs(EnclosingTables.above)
      else if (ofSeveral) inLogs(EnclosingTables.among(paths))
      else committed()
    )
  }

  /**
   * Returns a file that a read leaves out, as Spark's file sources do: one beside the directories
   * of partition columns, or one in a directory below the roots if there are no such columns.
   */
  def leftOut: Option[Path] = {
    lazy val read = listFiles(Nil, Nil).flatMap(_.files.map(_.getPath)).toSet
    leafFiles.valuesIterator
      .filter(file => file.getLen > 0 && matchPathPattern(file))
      .filterNot(file => HiddenNames.isSummary(file.getPath.getName))
      .map(_.getPath)
      .find(!read(_))
  }
}

private[variantshredded] object CommittedFileIndex {

  /** Lists the files at the paths of a read, as they are at one moment. */
  def of(
      session: SparkSession,
      paths: PathMatches,
      parameters: Map[String, String],
      schema: Option[StructType],
      cache: FileStatusCache
  ): CommittedFileIndex = {
    def index(roots: Seq[Path], listed: Iterator[mutable.LinkedHashSet[FileStatus]]) =
      new CommittedFileIndex(
        session,
        roots,
        parameters,
        schema,
        cache,
        ofPattern = paths.hasPattern,
        ofSeveral = paths.paths.size > 1,
        listed = listed
      )
    if (!paths.hasPattern) index(paths.resolve(), Iterator.empty)
    else {
      val (roots, files) = index(Nil, Iterator.single(mutable.LinkedHashSet.empty)).matching(paths)
      index(roots, Iterator.single(files))
    }
  }
}
