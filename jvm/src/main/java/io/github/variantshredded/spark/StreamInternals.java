package io.github.variantshredded.spark;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.streaming.OutputMode;

import scala.collection.immutable.Seq;

import java.io.IOException;

/** What streams need of Spark that Scala keeps to Spark's packages. */
public final class StreamInternals {
  private StreamInternals() {}

  /**
   * The rows of a micro-batch as a batch query. A sink may only run the plan of the micro-batch as
   * it is: planned anew, it would lose what its query keeps from batch to batch.
   */
  public static Dataset<Row> batch(Dataset<Row> microBatch) {
    return microBatch
        .sparkSession()
        .internalCreateDataFrame(
            microBatch.queryExecution().toRdd(), microBatch.schema(), false);
  }

  /** Whether a path has the wildcards of a pattern. */
  public static boolean isPattern(Path path) {
    return SparkHadoopUtil.get().isGlobPath(path);
  }

  /** The paths that match a pattern; there may be none. */
  public static Seq<Path> matching(Path pattern, Configuration conf) throws IOException {
    return SparkHadoopUtil.get().globPath(pattern.getFileSystem(conf), pattern);
  }

  /** A stream of files needs a schema, unless the session infers it. */
  public static RuntimeException schemaNotSpecified() {
    return QueryExecutionErrors.createStreamingSourceNotSpecifySchemaError();
  }

  /** {@code STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE}. */
  public static AnalysisException unsupportedOutputMode(String format, OutputMode mode) {
    return QueryCompilationErrors.dataSourceOutputModeUnsupportedError(format, mode);
  }
}
