package io.github.variantshredded.read.file

import org.scalatest.funsuite.AnyFunSuite

class LiveRowsSuite extends AnyFunSuite {

  private def selected(isLive: Long => Boolean, firstRow: Long, rowCount: Long): Seq[Long] = {
    val ofFile: LiveRows.OfFile = (first, count, live) =>
      (0 until count).foreach(row => live(row) = isLive(first + row))
    val rows = LiveRows.select(ofFile, firstRow, rowCount).iterator
    Iterator.continually(rows).takeWhile(_.hasNext).map(_.nextLong()).toSeq
  }

  test("rows of a row group are counted from its first row, across chunks") {
    val firstRow = 5000L
    for (rowCount <- Seq(0L, 1L, 8191L, 8192L, 8193L, 20000L)) {
      val expected = (0L until rowCount).filter(row => (firstRow + row) % 7 > 2)
      assert(selected(_ % 7 > 2, firstRow, rowCount) === expected)
    }
  }

  test("all rows and none") {
    assert(selected(_ => true, 10, 9000) === (0L until 9000L))
    assert(selected(_ => false, 10, 9000) === Nil)
    assert(selected(_ == 8192 + 10, 10, 9000) === Seq(8192L))
  }
}
