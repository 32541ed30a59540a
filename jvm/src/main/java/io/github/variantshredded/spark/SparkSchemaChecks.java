package io.github.variantshredded.spark;

import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.SchemaUtils;

/**
 * Calls Spark's own checks, so that users see the same errors as for its file sources. In Java
 * because Scala keeps them to Spark's packages, which the byte code does not.
 */
public final class SparkSchemaChecks {
  private SparkSchemaChecks() {}

  /** Raises {@code COLUMN_ALREADY_EXISTS} for two columns, or two fields of a struct, of one name. */
  public static void noDuplicates(StructType schema, boolean caseSensitive) {
    SchemaUtils.checkSchemaColumnNameDuplication(schema, caseSensitive);
  }

  /** Returns the error {@code UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE}. */
  public static Throwable unsupportedType(String format, StructField field) {
    return QueryCompilationErrors.dataTypeUnsupportedByDataSourceError(format, field);
  }
}
