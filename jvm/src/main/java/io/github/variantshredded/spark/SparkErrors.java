package io.github.variantshredded.spark;

import org.apache.spark.QueryContext;
import org.apache.spark.SparkRuntimeException;

import scala.collection.immutable.Map;

/** Makes errors of Spark that Scala sources outside Spark may not name. */
public final class SparkErrors {
  private SparkErrors() {}

  /** Returns a run-time error with one of Spark's conditions. */
  public static RuntimeException runtime(String condition, Map<String, String> parameters) {
    return new SparkRuntimeException(condition, parameters, null, new QueryContext[0], "");
  }
}
