package io.github.variantshredded.read.decode

import scala.jdk.CollectionConverters._

import io.github.variantshredded.spark.ParquetInternals
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetColumn,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.execution.vectorized.{OffHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Vectors outside of the heap: what Spark's reader makes beside the vector of the column. */
class AssembledColumnSuite extends AnyFunSuite {

  private val settings = {
    val rebase = RebaseSpec(LegacyBehaviorPolicy.CORRECTED)
    new DecoderSettings(null, rebase, rebase, null, 16, offHeap = true, asSpark = true)
  }

  private def column(parquet: String, wanted: String): ParquetColumn =
    new ParquetToSparkSchemaConverter(new SQLConf)
      .convertParquetColumn(
        MessageTypeParser.parseMessageType(s"message m { $parquet }"),
        Some(StructType.fromDDL(wanted))
      )
      .children
      .head

  private def opened(column: ParquetColumn, missing: ParquetColumn*): AssembledColumn =
    new AssembledColumn(
      column,
      column.sparkType,
      missing.toSet.asJava,
      null,
      isTopLevel = true,
      settings,
      _ => false
    )

  /** Vectors of numbers, which have memory of their own. */
  private def numbers(column: AssembledColumn): Seq[OffHeapColumnVector] = {
    val vectors = ParquetInternals.leaves(column.columnHandle).asScala.toSeq.flatMap { leaf =>
      Seq[WritableColumnVector](
        ParquetInternals.values(leaf),
        ParquetInternals.repetitionLevels(leaf),
        ParquetInternals.definitionLevels(leaf)
      )
    }
    vectors.collect {
      case vector: OffHeapColumnVector if vector.dataType == IntegerType => vector
    }
  }

  private def assertFreed(column: AssembledColumn, count: Int): Unit = {
    val vectors = numbers(column)
    assert(vectors.size === count)
    assert(vectors.forall(_.valuesNativeAddress != 0))
    column.close()
    assert(vectors.map(_.valuesNativeAddress) === vectors.map(_ => 0L))
    column.close()
  }

  test("the vectors of levels are freed") {
    assertFreed(opened(column("optional group s { optional int32 x; }", "s struct<x: int>")), 2)
    val list = "optional group l (LIST) { repeated group list { optional group element { " +
      "optional int32 x; optional binary y (STRING); } } }"
    assertFreed(opened(column(list, "l array<struct<x: int, y: string>>")), 5)
    val map = "optional group m (MAP) { repeated group key_value { required int32 key; " +
      "optional int32 value; } }"
    assertFreed(opened(column(map, "m map<int, int>")), 6)
  }

  test("the vectors of a field that is read only for its levels are freed") {
    val stored = column("optional group s { optional int32 x; }", "s struct<x: int>")
    val missing =
      ParquetColumn(IntegerType, None, 0, 0, required = false, Seq("s", "none"), Nil)
    val struct =
      stored.copy(sparkType = StructType.fromDDL("none int"), children = missing +: stored.children)
    assertFreed(opened(struct, missing), 2)
  }

  test("the vectors of the content of a Variant are freed") {
    val variant = "optional group v (VARIANT(1)) { required binary metadata; " +
      "optional binary value; optional int32 typed_value; }"
    assertFreed(opened(column(variant, "v variant")), 4)
  }
}
