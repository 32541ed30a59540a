package io.github.variantshredded.read.cast

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType}
import org.openjdk.jmh.annotations._

/**
 * Compares the casts, which have a loop each, with the same casts in one shared loop that calls a
 * method for each value: the time of three casts of a batch of 4096 rows.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class CastLoopBenchmark {
  import CastLoopBenchmark._

  private val ints = new OnHeapColumnVector(Rows, IntegerType)
  private val longs = new OnHeapColumnVector(Rows, LongType)
  private val toLongs = new OnHeapColumnVector(Rows, LongType)
  private val toDoubles = new OnHeapColumnVector(Rows, DoubleType)
  private val toInts = new OnHeapColumnVector(Rows, IntegerType)
  private val failures = new Array[Boolean](Rows)

  (0 until Rows).foreach { row =>
    if (row % 17 == 0) {
      ints.putNull(row)
      longs.putNull(row)
    } else {
      ints.putInt(row, row * 7)
      longs.putLong(row, row * 11L)
    }
  }

  private val from: Array[WritableColumnVector] = Array(ints, ints, longs)
  private val to: Array[WritableColumnVector] = Array(toLongs, toDoubles, toInts)
  private val own: Array[TypedCast] = Array(
    new NumericCasts.IntToLong,
    new NumericCasts.IntToDouble,
    new NumericCasts.Narrow(Int.MinValue.toLong, Int.MaxValue.toLong)
  )
  private val shared: Array[TypedCast] = Array(new IntToLong, new IntToDouble, new LongToInt)

  @Benchmark
  def ownLoops(): Unit = run(own)

  @Benchmark
  def sharedLoop(): Unit = run(shared)

  /** Runs the casts by one call, as `ScalarColumn` does in a JVM whose queries use several casts. */
  private def run(casts: Array[TypedCast]): Unit = {
    var i = 0
    while (i < casts.length) {
      casts(i).cast(from(i), to(i), Rows, failures)
      i += 1
    }
  }
}

private object CastLoopBenchmark {

  private final val Rows = 4096

  /** Casts slot by slot, by a method that each cast implements. */
  abstract class SlotCast extends TypedCast {

    /** Casts one value. Returns false if it cannot be cast. */
    protected def put(from: WritableColumnVector, to: WritableColumnVector, slot: Int): Boolean

    override final def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var failed = false
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else if (!put(from, to, slot)) {
          to.putNull(slot)
          failures(slot) = true
          failed = true
        }
        slot += 1
      }
      failed
    }
  }

  final class IntToLong extends SlotCast {
    override def put(from: WritableColumnVector, to: WritableColumnVector, slot: Int): Boolean = {
      to.putLong(slot, from.getInt(slot).toLong)
      true
    }
  }

  final class IntToDouble extends SlotCast {
    override def put(from: WritableColumnVector, to: WritableColumnVector, slot: Int): Boolean = {
      to.putDouble(slot, from.getInt(slot).toDouble)
      true
    }
  }

  final class LongToInt extends SlotCast {
    override def put(from: WritableColumnVector, to: WritableColumnVector, slot: Int): Boolean = {
      val number = from.getLong(slot)
      val fits = number >= Int.MinValue && number <= Int.MaxValue
      if (fits) to.putInt(slot, number.toInt)
      fits
    }
  }
}
