package io.github.variantshredded.read.decode

import scala.collection.mutable

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.spark.ParquetInternals
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn

/**
 * Checks that the leaves below a list or map have as many entries as each other.
 *
 * Spark assembles a list by the levels of its first leaf. Of another leaf with fewer entries, it would
 * take values from memory that was never written.
 *
 * @param column
 *   a column of the file
 * @param leaves
 *   its leaves in the form of `ParquetInternals`
 */
private[decode] final class RepeatedLeaves(column: ParquetColumn, leaves: Array[AnyRef]) {

  import RepeatedLeaves._

  private val checked: Array[Leaf] = {
    val found = mutable.ArrayBuffer.empty[Leaf]
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
        leaves
          .find(leaf => ParquetInternals.column(leaf) eq node)
          .foreach(leaf => found += Leaf(leaf, here.toArray))
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
   *   `CORRUPT_PARQUET_FILE` with the leaf that has another number of them
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

  /** How many entries a leaf has in the list or map whose entries repeat at `level`. */
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
      s"A list has $count entries in the leaf $path and $expected in another leaf.",
      ErrorLocation(column = Some(column.path.mkString(".")))
    )
  }
}

private object RepeatedLeaves {

  /**
   * A list or map.
   *
   * @param index
   *   its number in the column
   * @param level
   *   the repetition level at which its entries repeat
   */
  private final case class Repeated(index: Int, level: Int)

  /** A leaf with the lists and maps that it is in and that have other leaves too, the outer first. */
  private final case class Leaf(handle: AnyRef, repeated: Array[Repeated])
}
