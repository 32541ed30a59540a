package io.github.variantshredded.spark;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.DataSource$;
import scala.collection.immutable.Seq;

/** Paths of a read, as Spark's file sources understand them. */
public final class PathPatterns {

  private PathPatterns() {}

  /**
   * The paths that exist and match.
   *
   * @param patterns whether the paths may be patterns such as {@code day=2026-*}
   * @throws org.apache.spark.sql.AnalysisException {@code PATH_NOT_FOUND} if there is none
   */
  public static Seq<Path> resolve(Seq<String> paths, Configuration conf, boolean patterns) {
    Integer threads = DataSource$.MODULE$.checkAndGlobPathIfNecessary$default$5();
    return DataSource$.MODULE$.checkAndGlobPathIfNecessary(paths, conf, true, true, threads, patterns);
  }
}
