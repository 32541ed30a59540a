package io.github.variantshredded.commit

import io.github.variantshredded.directory.{Directories, HiddenNames}
import io.github.variantshredded.spark.PathPatterns
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink

/**
 * Finds what the paths of a read match at each moment; commits add matches of patterns and remove
 * others.
 *
 * @param paths
 *   files, directories and patterns
 * @param patterns
 *   whether the paths may be patterns such as `day=2026-*`
 * @param mayBeNone
 *   whether nothing may match a pattern yet, if it is the only path
 */
private[variantshredded] final class PathMatches(
    val paths: Seq[String],
    conf: Configuration,
    patterns: Boolean,
    mayBeNone: Boolean = false
) {
  private val (ofPatterns, others) =
    paths.partition(path => patterns && PathPatterns.isPattern(path))

  // They are the same at every moment.
  private lazy val fixed =
    if (others.isEmpty) Nil else PathPatterns.resolve(others.toIndexedSeq, conf, patterns)

  private lazy val bases = paths.map(PathPatterns.fixed(_, conf)).toSet

  def hasPattern: Boolean = ofPatterns.nonEmpty

  /**
   * Returns the paths that exist and match now, without what patterns such as `*` match beside data:
   * commit notes, logs of streams, and files of unfinished jobs.
   *
   * @throws org.apache.spark.sql.AnalysisException
   *   `PATH_NOT_FOUND` if there is none
   */
  def resolve(): Seq[Path] = {
    val matching = ofPatterns match {
      case Nil                                      => Nil
      case Seq(only) if mayBeNone && others.isEmpty => PathPatterns.matching(only, conf)
      case _ => PathPatterns.resolve(ofPatterns.toIndexedSeq, conf, true)
    }
    (matching.filterNot(isOfJob) ++ fixed)
      .filterNot { path =>
        NotesDirectory.includes(path) || FileStreamSink.ancestorIsMetadataDirectory(path, conf)
      }
      .map(Directories.rooted)
  }

  // A pattern may also name such a directory, as in `*/_temporary/0`.
  private lazy val namesJobs =
    ofPatterns.exists(_.split(Path.SEPARATOR_CHAR).exists(HiddenNames.isOfJobs))

  private def isOfJob(path: Path): Boolean =
    !namesJobs && Directories
      .below(bases, path)
      .exists(level => HiddenNames.isOfJobs(level.getName))
}
