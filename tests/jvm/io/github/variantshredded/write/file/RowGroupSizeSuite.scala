package io.github.variantshredded.write.file

import io.github.variantshredded.write.column.{ParquetSettings, RowGroupMemory}
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

class RowGroupSizeSuite extends AnyFunSuite {

  private final val Target = 64000L

  private def configured(options: (String, Int)*): ParquetSettings = {
    val conf = new Configuration(false)
    conf.setLong("parquet.block.size", Target)
    options.foreach { case (name, number) => conf.setInt(name, number) }
    ParquetSettings(conf)
  }

  private def size(
      settings: ParquetSettings = configured(),
      memory: RowGroupMemory = new RowGroupMemory(Long.MaxValue)
  ): RowGroupSize = new RowGroupSize(Target, memory.acquire(settings), settings.properties)

  /** Adds rows until a check is due, and returns their number. */
  private def addUntilCheck(size: RowGroupSize, bytes: Int): Int = {
    val before = size.rows
    while ({ size.add(bytes); !size.isCheckDue }) {}
    (size.rows - before).toInt
  }

  test("the first check is due after half of the bytes, or after the least number of rows") {
    assert(addUntilCheck(size(), bytes = 1000) === 32)
    assert(addUntilCheck(size(), bytes = 1) === 100)
    val few = configured("parquet.page.size.row.check.min" -> 7)
    assert(addUntilCheck(size(few), bytes = 1) === 7)
  }

  test("the next check is due after half of the bytes that are left, or half of the rows") {
    val large = size()
    addUntilCheck(large, bytes = 1000)
    assert(!large.isFull(held = 32000))
    assert(!large.isCheckDue)
    assert(addUntilCheck(large, bytes = 1000) === 16)

    val compressed = size()
    addUntilCheck(compressed, bytes = 10)
    assert(!compressed.isFull(held = 10000))
    assert(addUntilCheck(compressed, bytes = 10) === 270)
  }

  test(
    "checks are at least a 64th of the size apart, and within the numbers of rows of the settings"
  ) {
    val nearlyFull = size()
    (1 to 200).foreach(_ => nearlyFull.add(1000))
    assert(!nearlyFull.isFull(held = 63000))
    assert(addUntilCheck(nearlyFull, bytes = 100) === 10)

    val many = size(configured("parquet.page.size.row.check.max" -> 150))
    addUntilCheck(many, bytes = 1)
    assert(!many.isFull(held = 100))
    assert(addUntilCheck(many, bytes = 1) === 150)
  }

  test("a row group ends when there is no room for two more rows") {
    val added = size()
    (1 to 10).foreach(_ => added.add(1000))
    assert(!added.isFull(held = 53330))
    assert(added.isFull(held = 53340))
    assert(added.rows === 10)
  }

  test("a row group ends at the limit of its rows") {
    val limited = size(configured("parquet.block.row.count.limit" -> 5))
    assert(addUntilCheck(limited, bytes = 1) === 5)
    assert(limited.isFull(held = 5))
  }

  test("a row group ends earlier if the file has less memory") {
    val memory = new RowGroupMemory(20000)
    val small = configured("parquet.memory.min.chunk.size" -> 1)
    val first = size(small, memory)
    addUntilCheck(first, bytes = 100)
    assert(!first.isFull(held = 9000))
    memory.acquire(small)
    assert(first.isFull(held = 9400))
  }
}
