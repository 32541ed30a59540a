package io.github.variantshredded.spark;

import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.SchemaUtils;

import scala.jdk.javaapi.CollectionConverters;

import java.util.Arrays;

/**
 * Spark's own checks and errors, so that users see the same ones as for its file sources. In Java
 * because Scala keeps them to Spark's packages, which the byte code does not.
 */
public final class SparkSchemaChecks {
  private SparkSchemaChecks() {}

  /** Raises {@code COLUMN_ALREADY_EXISTS} for two columns of the same name. */
  public static void noDuplicates(StructType schema, boolean caseSensitive) {
    SchemaUtils.checkColumnNameDuplication(
        CollectionConverters.asScala(Arrays.asList(schema.fieldNames())).toSeq(), caseSensitive);
  }

  /** {@code UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE}. */
  public static Throwable unsupportedType(String format, StructField field) {
    return QueryCompilationErrors.dataTypeUnsupportedByDataSourceError(format, field);
  }
}
