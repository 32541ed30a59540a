package io.github.variantshredded.write.cluster

import java.util.{Arrays, BitSet}

import org.scalatest.funsuite.AnyFunSuite

/** The sort keys that bring rows of the same shape together. */
class ShapeOrderSuite extends AnyFunSuite {

  private def marks(numbers: Int*): BitSet = {
    val set = new BitSet
    numbers.foreach(set.set)
    set
  }

  /** The numbers of the rows in the order of their keys. */
  private def sorted(
      rows: Seq[BitSet],
      weight: Int => Int = _ => 1,
      marks: Int = 4,
      residual: Int => Int = _ => 0
  ): Seq[Int] = {
    val order = new ShapeOrder(rows, weight, marks)
    rows.indices.sortWith { (a, b) =>
      val left = order.key(rows(a), residual(a))
      val right = order.key(rows(b), residual(b))
      Arrays.compareUnsigned(left, right) < 0
    }
  }

  test("the rows of a mark follow one another, the more frequent case first") {
    val rows = Seq(marks(), marks(0), marks(0), marks(), marks(0))
    assert(sorted(rows) === Seq(1, 2, 4, 0, 3))
  }

  test("the mark that divides the rows more evenly decides first") {
    // Mark 0 has one row of four, mark 1 has two.
    val rows = Seq(marks(0, 1), marks(), marks(1), marks())
    assert(sorted(rows) === Seq(2, 0, 1, 3))
  }

  test("the mark of more leaf columns decides first") {
    val rows = Seq(marks(0, 1), marks(), marks(1), marks())
    assert(sorted(rows, weight = mark => if (mark == 0) 10 else 1) === Seq(2, 1, 3, 0))
  }

  test("of two marks that say as much, the one with the lower number decides first") {
    val rows = Seq(marks(0), marks(1), marks(0, 1), marks())
    assert(sorted(rows) === Seq(2, 0, 1, 3))
    assert(sorted(rows.reverse).map(3 - _) === Seq(2, 0, 1, 3))
  }

  test("marks that all rows have, or none, and marks without weight say nothing") {
    val rows = Seq(marks(0, 2), marks(0), marks(0, 2))
    val order = new ShapeOrder(rows, Map(0 -> 1, 1 -> 1, 2 -> 0), 3)
    assert(rows.map(order.key(_, 7).toSeq) === Seq.fill(3)(Seq(7L)))
  }

  test("residual fields decide last") {
    val rows = Seq(marks(0), marks(), marks(0), marks())
    assert(sorted(rows, residual = Seq(1, 0, 0, 1)) === Seq(2, 0, 1, 3))
  }

  test("more than 64 marks") {
    val all = 130
    // Two rows have the last mark, and one row has all other marks.
    val rows = Seq(marks(0 until all - 1: _*), marks(all - 1), marks(), marks(all - 1), marks())
    val order = new ShapeOrder(rows, _ => 1, all)
    assert(order.key(rows.head, 0).length === 4)
    assert(sorted(rows, marks = all) === Seq(2, 4, 0, 1, 3))
  }

  test("sets of residual fields are ranked by frequency, and rare sets share the last rank") {
    val residuals = Seq.fill(8)(5L) ++ Seq.fill(9)(3L) ++ Seq.fill(7)(1L) ++ Seq(2L)
    val order = new ResidualOrder(residuals.iterator)
    assert(Seq(3L, 5L, 1L, 2L).map(order.rank) === Seq(0, 1, Int.MaxValue, Int.MaxValue))
  }

  test("equally frequent sets of residual fields are ranked by their number") {
    val order = new ResidualOrder((Seq.fill(8)(9L) ++ Seq.fill(8)(4L)).iterator)
    assert(Seq(4L, 9L).map(order.rank) === Seq(0, 1))
  }
}
