package io.github.variantshredded.read.decode

import java.util.IdentityHashMap

import scala.collection.mutable

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.spark.ParquetInternals
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn

/**
 * Checks that all leaf columns of a list or map have the same number of entries.
 *
 * Spark assembles a list by the levels of its first leaf column. If another leaf column had fewer
 * entries, Spark would read values from memory that was never written.
 *
 * @param column
 *   a column of the file
 * @param leaves
 *   its leaf columns as `ParquetInternals` returns them
 */
private[decode] final class RepeatedLeaves(column: ParquetColumn, leaves: Array[AnyRef]) {

  import RepeatedLeaves._

  private val checked: Array[Leaf] = {
    val found = mutable.ArrayBuffer.empty[Leaf]
    val leafOf = new IdentityHashMap[ParquetColumn, AnyRef]
    leaves.foreach(leaf => leafOf.put(ParquetInternals.column(leaf), leaf))
    var repeatedCount = 0
    def visit(node: ParquetColumn, outer: Vector[Repeated], level: Int): Unit = {
      val here =
        if (node.repetitionLevel <= level) outer
        else {
          repeatedCount += 1
          outer :+ Repeated(repeatedCount - 1, node.repetitionLevel)
        }
      if (!node.isPrimitive) node.children.foreach(visit(_, here, node.repetitionLevel))
      else {
        Option(leafOf.get(node)).foreach(leaf => found += Leaf(leaf, here.toArray))
      }
    }
    visit(column, Vector.empty, 0)
    val users = found.flatMap(_.repeated).groupBy(_.index).view.mapValues(_.size)
    found
      .map(leaf => leaf.copy(repeated = leaf.repeated.filter(r => users(r.index) > 1)))
      .filter(_.repeated.nonEmpty)
      .toArray
  }

  private val entries =
    new Array[Int](checked.flatMap(_.repeated).map(_.index).maxOption.fold(0)(_ + 1))

  /**
   * Checks the entries that were decoded last.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` with a leaf column whose number of entries differs
   */
  def check(): Unit = if (checked.nonEmpty) {
    java.util.Arrays.fill(entries, -1)
    checked.foreach { leaf =>
      leaf.repeated.foreach { repeated =>
        val count = entriesOf(leaf, repeated.level)
        val expected = entries(repeated.index)
        if (expected < 0) entries(repeated.index) = count
        else if (count != expected) throw corrupt(leaf, count, expected)
      }
    }
  }

  /**
   * Returns how many entries a leaf column has in the list or map whose entries repeat at `level`.
   */
  private def entriesOf(leaf: Leaf, level: Int): Int = {
    val levels = ParquetInternals.repetitionLevels(leaf.handle)
    val count = levels.getElementsAppended
    if (level >= ParquetInternals.column(leaf.handle).repetitionLevel) count
    else {
      val all = levels.getInts(0, count)
      var entries = 0
      var i = 0
      while (i < count) {
        if (all(i) <= level) entries += 1
        i += 1
      }
      entries
    }
  }

  private def corrupt(leaf: Leaf, count: Int, expected: Int) = {
    val path = ParquetInternals.column(leaf.handle).path.mkString(".")
    VariantShreddedErrors.corruptFile(
      s"A list has $count entries in the leaf column $path, but $expected in another one.",
      ErrorLocation(column = Some(column.path.mkString(".")))
    )
  }
}

private object RepeatedLeaves {

  /**
   * Identifies a list or map.
   *
   * @param index
   *   its number in the column
   * @param level
   *   the repetition level of its entries
   */
  private final case class Repeated(index: Int, level: Int)

  /**
   * Holds a leaf column, with those lists and maps around it that contain other leaf columns too,
   * the outermost first.
   */
  private final case class Leaf(handle: AnyRef, repeated: Array[Repeated])
}
