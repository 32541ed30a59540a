package io.github.variantshredded.spark;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Set;

import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * Calls package-private members of Spark's vectorized Parquet reader and of parquet-java.
 *
 * <p>The JAR is loaded by a child class loader, so a class of ours in Spark's package could not
 * reach them: every access goes through a method handle made by a private look-up. In Java, because
 * handles in static final fields are constants to the JIT.
 *
 * <p>A {@code ParquetColumnVector} is passed around as {@code Object}: its class is package-private.
 */
public final class ParquetInternals {
  private static final MethodHandle READ_BATCH;
  private static final MethodHandle NEW_COLUMN_VECTOR;
  private static final MethodHandle GET_LEAVES;
  private static final MethodHandle GET_CHILDREN;
  private static final MethodHandle GET_COLUMN;
  private static final MethodHandle GET_READER;
  private static final MethodHandle SET_READER;
  private static final MethodHandle GET_VALUES;
  private static final MethodHandle GET_REPETITION;
  private static final MethodHandle GET_DEFINITION;
  private static final MethodHandle ASSEMBLE;
  private static final MethodHandle RESET;
  private static final MethodHandle READ_FILTERED;

  static {
    try {
      Class<?> cv =
          Class.forName(
              "org.apache.spark.sql.execution.datasources.parquet.ParquetColumnVector",
              false,
              VectorizedColumnReader.class.getClassLoader());
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(cv, MethodHandles.lookup());
      Class<?> wcv = WritableColumnVector.class;
      READ_BATCH =
          lookup.findVirtual(
              VectorizedColumnReader.class,
              "readBatch",
              MethodType.methodType(void.class, int.class, wcv, wcv, wcv));
      NEW_COLUMN_VECTOR =
          lookup
              .findConstructor(
                  cv,
                  MethodType.methodType(
                      void.class,
                      ParquetColumn.class,
                      wcv,
                      int.class,
                      Set.class,
                      boolean.class,
                      Object.class))
              .asType(
                  MethodType.methodType(
                      Object.class,
                      ParquetColumn.class,
                      wcv,
                      int.class,
                      Set.class,
                      boolean.class,
                      Object.class));
      GET_LEAVES = getter(lookup, cv, "getLeaves", List.class);
      GET_CHILDREN = getter(lookup, cv, "getChildren", List.class);
      GET_COLUMN = getter(lookup, cv, "getColumn", ParquetColumn.class);
      GET_READER = getter(lookup, cv, "getColumnReader", VectorizedColumnReader.class);
      GET_VALUES = getter(lookup, cv, "getValueVector", wcv);
      GET_REPETITION = getter(lookup, cv, "getRepetitionLevelVector", wcv);
      GET_DEFINITION = getter(lookup, cv, "getDefinitionLevelVector", wcv);
      ASSEMBLE = getter(lookup, cv, "assemble", void.class);
      RESET = getter(lookup, cv, "reset", void.class);
      SET_READER =
          lookup
              .findVirtual(
                  cv,
                  "setColumnReader",
                  MethodType.methodType(void.class, VectorizedColumnReader.class))
              .asType(
                  MethodType.methodType(void.class, Object.class, VectorizedColumnReader.class));
      // Its return type is package-private.
      READ_FILTERED =
          MethodHandles.lookup()
              .unreflect(
                  ParquetFileReader.class.getMethod(
                      "readFilteredRowGroup", int.class, RowRanges.class))
              .asType(
                  MethodType.methodType(
                      PageReadStore.class, ParquetFileReader.class, int.class, RowRanges.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private ParquetInternals() {}

  private static MethodHandle getter(
      MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?> result)
      throws ReflectiveOperationException {
    return lookup
        .findVirtual(owner, name, MethodType.methodType(result))
        .asType(MethodType.methodType(result, Object.class));
  }

  /**
   * Reads the next {@code total} rows into {@code values}.
   *
   * @param repetition receives repetition levels; null for a leaf without repetition
   * @param definition receives definition levels; null to treat every undefined value as null
   */
  public static void readBatch(
      VectorizedColumnReader reader,
      int total,
      WritableColumnVector values,
      WritableColumnVector repetition,
      WritableColumnVector definition) {
    try {
      READ_BATCH.invokeExact(reader, total, values, repetition, definition);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns a new {@code ParquetColumnVector} over {@code vector}. */
  public static Object newColumnVector(
      ParquetColumn column,
      WritableColumnVector vector,
      int capacity,
      Set<ParquetColumn> missing,
      boolean isTopLevel,
      Object defaultValue) {
    try {
      return (Object)
          NEW_COLUMN_VECTOR.invokeExact(
              column, vector, capacity, (Set) missing, isTopLevel, defaultValue);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the leaves of a {@code ParquetColumnVector}, depth first; each is one itself. */
  public static List<?> leaves(Object columnVector) {
    try {
      return (List) GET_LEAVES.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the Parquet column that a {@code ParquetColumnVector} reads. */
  public static ParquetColumn column(Object columnVector) {
    try {
      return (ParquetColumn) GET_COLUMN.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Sets the decoder of a leaf, for one row group. */
  public static void setReader(Object leaf, VectorizedColumnReader reader) {
    try {
      SET_READER.invokeExact(leaf, reader);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Reads the next {@code total} rows of a leaf, levels and values; nothing if it has no reader. */
  public static void readLeaf(Object leaf, int total) {
    try {
      VectorizedColumnReader reader = (VectorizedColumnReader) GET_READER.invokeExact(leaf);
      if (reader != null) {
        WritableColumnVector values = (WritableColumnVector) GET_VALUES.invokeExact(leaf);
        WritableColumnVector repetition = (WritableColumnVector) GET_REPETITION.invokeExact(leaf);
        WritableColumnVector definition = (WritableColumnVector) GET_DEFINITION.invokeExact(leaf);
        READ_BATCH.invokeExact(reader, total, values, repetition, definition);
      }
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the vector of the values that a {@code ParquetColumnVector} reads or assembles. */
  public static WritableColumnVector values(Object columnVector) {
    try {
      return (WritableColumnVector) GET_VALUES.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the repetition levels of the current batch; null where there is no repetition. */
  public static WritableColumnVector repetitionLevels(Object columnVector) {
    try {
      return (WritableColumnVector) GET_REPETITION.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the definition levels of the current batch. */
  public static WritableColumnVector definitionLevels(Object columnVector) {
    try {
      return (WritableColumnVector) GET_DEFINITION.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Turns the levels of the current batch into offsets, lengths and nulls. */
  public static void assemble(Object columnVector) {
    try {
      ASSEMBLE.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Empties the vectors before the next batch. */
  public static void reset(Object columnVector) {
    try {
      RESET.invokeExact(columnVector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /**
   * Frees the vector of a {@code ParquetColumnVector}, and all vectors that it has made itself: of
   * levels, of leaves that are read only for their levels, and of the content of a Variant.
   */
  public static void close(Object columnVector) {
    try {
      for (Object child : (List<?>) GET_CHILDREN.invokeExact(columnVector)) {
        close(child);
      }
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
    free(values(columnVector));
    free(repetitionLevels(columnVector));
    free(definitionLevels(columnVector));
  }

  // The levels of a group are those of one of its leaves, so they are freed several times.
  private static void free(WritableColumnVector vector) {
    if (vector != null) {
      vector.close();
    }
  }

  /** Fetches the pages of a row group, of the columns asked for, that hold some of the rows. */
  public static PageReadStore readFilteredRowGroup(
      ParquetFileReader reader, int rowGroup, RowRanges rows) {
    try {
      return (PageReadStore) READ_FILTERED.invokeExact(reader, rowGroup, rows);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
    throw (E) e;
  }
}
