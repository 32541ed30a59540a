package io.github.variantshredded.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import org.apache.spark.sql.execution.datasources.parquet.ParquetDictionary;
import org.apache.spark.sql.execution.vectorized.Dictionary;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;

/**
 * Returns the arrays behind Spark's on-heap vectors, for loops that read several columns per row.
 *
 * <p>They are private there, so every access goes through a method handle made by a private
 * look-up; without those (should a later Spark name them otherwise) no vector {@code isDirect}.
 */
public final class VectorArrays {
  private static final MethodHandle NULLS;
  private static final MethodHandle BYTES;
  private static final MethodHandle INTS;
  private static final MethodHandle LONGS;
  private static final MethodHandle FLOATS;
  private static final MethodHandle DOUBLES;
  private static final MethodHandle LENGTHS;
  private static final MethodHandle OFFSETS;
  private static final MethodHandle VECTOR_DICTIONARY;
  private static final MethodHandle PARQUET_DICTIONARY;
  private static final boolean AVAILABLE;

  static {
    MethodHandle[] handles = find();
    AVAILABLE = handles != null;
    NULLS = AVAILABLE ? handles[0] : null;
    BYTES = AVAILABLE ? handles[1] : null;
    INTS = AVAILABLE ? handles[2] : null;
    LONGS = AVAILABLE ? handles[3] : null;
    FLOATS = AVAILABLE ? handles[4] : null;
    DOUBLES = AVAILABLE ? handles[5] : null;
    LENGTHS = AVAILABLE ? handles[6] : null;
    OFFSETS = AVAILABLE ? handles[7] : null;
    VECTOR_DICTIONARY = AVAILABLE ? handles[8] : null;
    PARQUET_DICTIONARY = AVAILABLE ? handles[9] : null;
  }

  private VectorArrays() {}

  private static MethodHandle[] find() {
    try {
      MethodHandles.Lookup here = MethodHandles.lookup();
      MethodHandles.Lookup onHeap = MethodHandles.privateLookupIn(OnHeapColumnVector.class, here);
      MethodHandles.Lookup vector = MethodHandles.privateLookupIn(WritableColumnVector.class, here);
      MethodHandles.Lookup parquet = MethodHandles.privateLookupIn(ParquetDictionary.class, here);
      return new MethodHandle[] {
        array(onHeap, "nulls", byte[].class),
        array(onHeap, "byteData", byte[].class),
        array(onHeap, "intData", int[].class),
        array(onHeap, "longData", long[].class),
        array(onHeap, "floatData", float[].class),
        array(onHeap, "doubleData", double[].class),
        array(onHeap, "arrayLengths", int[].class),
        array(onHeap, "arrayOffsets", int[].class),
        vector
            .findGetter(WritableColumnVector.class, "dictionary", Dictionary.class),
        parquet
            .findGetter(
                ParquetDictionary.class,
                "dictionary",
                org.apache.parquet.column.Dictionary.class)
            .asType(MethodType.methodType(Object.class, Dictionary.class))
      };
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static MethodHandle array(MethodHandles.Lookup lookup, String field, Class<?> type)
      throws ReflectiveOperationException {
    return lookup
        .findGetter(OnHeapColumnVector.class, field, type)
        .asType(MethodType.methodType(type, WritableColumnVector.class));
  }

  /** Returns whether the other methods may be called for a vector. */
  public static boolean isDirect(WritableColumnVector vector) {
    return AVAILABLE
        && vector instanceof OnHeapColumnVector
        && (!vector.hasDictionary() || dictionary(vector) instanceof ParquetDictionary);
  }

  /** Returns an array with 1 where a slot is null, else 0. */
  public static byte[] nulls(WritableColumnVector vector) {
    try {
      return (byte[]) NULLS.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns booleans, or the bytes of strings. */
  public static byte[] bytes(WritableColumnVector vector) {
    try {
      return (byte[]) BYTES.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  public static int[] ints(WritableColumnVector vector) {
    try {
      return (int[]) INTS.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  public static long[] longs(WritableColumnVector vector) {
    try {
      return (long[]) LONGS.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  public static float[] floats(WritableColumnVector vector) {
    try {
      return (float[]) FLOATS.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  public static double[] doubles(WritableColumnVector vector) {
    try {
      return (double[]) DOUBLES.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the lengths of arrays or strings. */
  public static int[] lengths(WritableColumnVector vector) {
    try {
      return (int[]) LENGTHS.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns where arrays or strings start in the child vector. */
  public static int[] offsets(WritableColumnVector vector) {
    try {
      return (int[]) OFFSETS.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the dictionary of a vector that has one: a new object for every batch. */
  public static Dictionary dictionary(WritableColumnVector vector) {
    try {
      return (Dictionary) VECTOR_DICTIONARY.invokeExact(vector);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the object behind a dictionary: the same object throughout a column chunk. */
  public static Object identity(Dictionary dictionary) {
    try {
      return (Object) PARQUET_DICTIONARY.invokeExact(dictionary);
    } catch (Throwable e) {
      throw ParquetInternals.<RuntimeException>sneaky(e);
    }
  }

  /** Returns the number of entries of a dictionary. */
  public static int size(Dictionary dictionary) {
    return ((org.apache.parquet.column.Dictionary) identity(dictionary)).getMaxId() + 1;
  }

  /** Writes an entry of a dictionary of strings or binaries. */
  public static void write(Dictionary dictionary, int id, OutputStream out) throws IOException {
    ((org.apache.parquet.column.Dictionary) identity(dictionary)).decodeToBinary(id).writeTo(out);
  }
}
