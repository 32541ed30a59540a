package io.github.variantshredded.spark;

import org.apache.spark.SparkException;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Calls Spark methods on schemas that Scala sources outside Spark may not name. */
public final class SchemaInternals {
  private SchemaInternals() {}

  /** Returns the type with every field, element and map value nullable. */
  public static DataType asNullable(DataType type) {
    return type.asNullable();
  }

  /**
   * Returns the schema that holds the fields of both.
   *
   * @throws SparkException if a field has types that cannot be merged
   */
  public static StructType merge(StructType left, StructType right, boolean caseSensitive)
      throws Throwable {
    try {
      return left.merge(right, caseSensitive);
    } catch (Throwable e) {
      if (e instanceof SparkException) {
        throw QueryExecutionErrors.failedMergingSchemaError(left, right, (SparkException) e);
      }
      throw e;
    }
  }
}
