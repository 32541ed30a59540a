package io.github.variantshredded.spark;

import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.streaming.OutputMode;

/** Calls what streams need of Spark and what Scala keeps to Spark's packages. */
public final class StreamInternals {
  private StreamInternals() {}

  /**
   * Returns the rows of a micro-batch as a batch query. A sink may only run the plan of the
   * micro-batch as it is: planned anew, it would lose what its query keeps from batch to batch.
   */
  public static Dataset<Row> batch(Dataset<Row> microBatch) {
    return microBatch
        .sparkSession()
        .internalCreateDataFrame(
            microBatch.queryExecution().toRdd(), microBatch.schema(), false);
  }

  /** Returns the error for a stream of files that has no schema, in a session that infers none. */
  public static RuntimeException schemaNotSpecified() {
    return QueryExecutionErrors.createStreamingSourceNotSpecifySchemaError();
  }

  /** Returns the error {@code STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE}. */
  public static AnalysisException unsupportedOutputMode(String format, OutputMode mode) {
    return QueryCompilationErrors.dataSourceOutputModeUnsupportedError(format, mode);
  }
}
