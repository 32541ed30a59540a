package io.github.variantshredded.read.footer

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32
import org.apache.parquet.schema.Types
import org.scalatest.funsuite.AnyFunSuite

/** Which chunks need not be read, because the footer says that all of their values are null. */
class NullCountsSuite extends AnyFunSuite {

  private def isAllNull(bounded: Boolean, nulls: Option[Long]): Boolean = {
    val builder = Statistics.getBuilderForReading(Types.optional(INT32).named("n"))
    if (bounded) builder.withMin(Array[Byte](5, 0, 0, 0)).withMax(Array[Byte](9, 0, 0, 0))
    nulls.foreach(builder.withNumNulls(_))
    NullCounts.isAllNull(builder.build(): Statistics[_], 10)
  }

  test("as many nulls as values") {
    assert(isAllNull(bounded = false, Some(10)))
    assert(!isAllNull(bounded = false, Some(9)))
  }

  test("nothing is known without a null count") {
    assert(!isAllNull(bounded = false, None))
    assert(!NullCounts.isAllNull(null: Statistics[_], 10))
  }

  test("bounds contradict a null count that says that all are null, so the chunk is read") {
    assert(!isAllNull(bounded = true, Some(10)))
  }
}
