package io.github.variantshredded.write.cluster

import java.util.{Arrays, BitSet, Comparator}

import scala.collection.mutable

import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingSpec}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/**
 * Holds rows in the row buffer, and returns them in the order of a [[Clustering]]. The sort is
 * stable.
 *
 * @param schema
 *   schema of the rows
 * @param schemas
 *   the shredding schemas of the file, in the order of the columns of `shredding`
 */
private[write] final class ClusterBuffer(
    schema: StructType,
    shredding: ShreddingSpec,
    schemas: Seq[ShreddingSchema],
    clustering: Clustering
) {
  import ClusterBuffer._

  private val variants = mutable.HashMap.empty[Int, VariantInRow]

  private val sorts: Array[(VariantInRow, SortKeys)] =
    clustering.paths.map { case (column, path) =>
      variantOf(column) -> new SortKeys(Vector(path))
    }.toArray

  private var marks = 0

  private val shapes: Array[(VariantInRow, ShapeMarks)] =
    if (!clustering.byShape) Array.empty
    else
      shredding.columns.zip(schemas).zipWithIndex.toArray.collect {
        case ((column, shredded), i) if !column.repeated =>
          val shape = new ShapeMarks(shredded, marks, MaxMarks - marks)
          marks += shape.size
          variantOf(i) -> shape
      }

  private val weights: Array[Int] = shapes.flatMap { case (_, shape) =>
    (0 until shape.size).map(shape.weight)
  }

  private var rows = mutable.ArrayBuffer.empty[HeldRow]
  private var held = 0L
  private val key = new KeyBytes

  private def variantOf(column: Int): VariantInRow =
    variants.getOrElseUpdate(column, VariantInRow(schema, shredding.columns(column)))

  /** Indexes of the paths of the clustering at which a row has had a value. */
  def found: Set[Int] = sorts.indices.filter(i => sorts(i)._2.hasFound).toSet

  /** Returns the number of bytes that are held in memory. */
  def bytes: Long = held

  /**
   * Adds a row, which must not change afterwards.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if one of its Variants cannot be read
   */
  def add(row: UnsafeRow): Unit = {
    val added = new HeldRow(row, keyOf(row))
    mark(added)
    rows += added
    // While the rows are sorted, there are two copies of the marks.
    held += row.getSizeInBytes + added.key.length + marks / 4 + RowOverhead
  }

  /** Passes all rows to `write` in order, and empties the buffer. */
  def drain(write: UnsafeRow => Unit): Unit = if (rows.nonEmpty) {
    val sorted = rows.toArray
    rows = mutable.ArrayBuffer.empty
    held = 0
    if (shapes.nonEmpty) {
      val order = new ShapeOrder(sorted.map(_.marks).toSeq, weights(_), marks)
      val residuals = new ResidualOrder(sorted.iterator.map(_.residual))
      sorted.foreach(row => row.shape = order.key(row.marks, residuals.rank(row.residual)))
    }
    Arrays.sort(sorted, InOrder)
    var i = 0
    while (i < sorted.length) {
      write(sorted(i).row)
      // Releases the memory of rows while the row group fills.
      sorted(i) = null
      i += 1
    }
  }

  private def keyOf(row: UnsafeRow): Array[Byte] =
    if (sorts.isEmpty) Array.emptyByteArray
    else {
      key.clear()
      var i = 0
      while (i < sorts.length) {
        val (variant, sort) = sorts(i)
        if (variant.find(row)) variant.located(sort.append(variant, key))
        else sort.appendMissing(key)
        i += 1
      }
      key.toByteArray
    }

  private def mark(row: HeldRow): Unit = {
    var i = 0
    while (i < shapes.length) {
      val (variant, shape) = shapes(i)
      if (variant.find(row.row))
        row.residual = row.residual * 31 + variant.located(shape.mark(variant, row.marks))
      i += 1
    }
  }
}

private[write] object ClusterBuffer {

  /** Most marks of a row's shape, for all its Variants together. */
  private final val MaxMarks = 2048

  /** Approximate memory of the objects and references that a buffered row needs, in bytes. */
  final val RowOverhead = 200

  private final class HeldRow(val row: UnsafeRow, val key: Array[Byte]) {
    val marks = new BitSet
    var residual = 0L

    var shape: Array[Long] = Array.emptyLongArray
  }

  // Arrays.sort with this order is stable.
  private object InOrder extends Comparator[HeldRow] {
    override def compare(a: HeldRow, b: HeldRow): Int = {
      val byValue = Arrays.compareUnsigned(a.key, b.key)
      if (byValue != 0) byValue else Arrays.compareUnsigned(a.shape, b.shape)
    }
  }
}
