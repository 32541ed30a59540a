package io.github.variantshredded.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Calls Spark's conversion of rows to columns, which Scala sources outside Spark may not name. */
public final class RowsToColumns {
  // Not by its name, which Scaladoc cannot see.
  private final Object converter;
  private final WritableColumnVector[] target;

  /** Creates a converter for rows with one value of {@code type}, appended to {@code target}. */
  public RowsToColumns(DataType type, WritableColumnVector target) {
    this.converter = new RowToColumnConverter(new StructType().add("value", type, true));
    this.target = new WritableColumnVector[] {target};
  }

  /** Appends the value of {@code row}. */
  public void append(InternalRow row) {
    ((RowToColumnConverter) converter).convert(row, target);
  }
}
