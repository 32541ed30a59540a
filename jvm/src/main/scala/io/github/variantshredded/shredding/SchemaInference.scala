package io.github.variantshredded.shredding

import java.nio.charset.StandardCharsets
import java.util.Arrays

import scala.collection.mutable

/**
 * Chooses the shredding schemas of one file from what was seen in its first rows.
 *
 * The choice is a function of these rows, in their order, and of the limits: the same data gives the
 * same schema on every machine. In detail:
 *
 *   - A path is wanted if it holds something other than null in at least
 *     [[InferenceLimits.frequency]] of the rows.
 *   - Its type is the one that most of its values have, nulls aside, if it has a share of
 *     [[InferenceLimits.typeShare]]; integers of all widths are one type (`bigint`), decimals of
 *     each scale one (with 18 or 38 digits). If no type has that share, the path gets a column
 *     without type, so that it can still be read by itself. Uuids, times and timestamps with
 *     nanoseconds get no type either: Spark's own reader refuses files with such columns.
 *   - [[InferenceLimits.columns]] are spent on the wanted paths by the number of rows they are in,
 *     most first; of paths in as many rows, the column that comes first in the schema goes first, and
 *     within it the path that was met first. A path that takes more columns than are left is passed
 *     over. A path is taken after what it lies in.
 *   - Fields of an object are put in the order of their names' bytes, so that files with the same
 *     fields look the same.
 */
object SchemaInference {

  /** The schemas of `columns`, in their order. */
  def infer(columns: Seq[ColumnStatistics], limits: InferenceLimits): Seq[ShreddingSchema] =
    new SchemaInference(limits).infer(columns)

  /**
   * A path in the queue.
   *
   * @param valueCost
   *   columns that its `value` takes: none for the topmost value, which has one anyway
   */
  private final class Candidate(
      val column: Int,
      val path: PathStatistics,
      val valueCost: Int,
      val attach: Draft => Unit
  )

  /** A schema that still grows. */
  private sealed trait Draft

  private object Draft {
    case object Untyped extends Draft
    final case class Scalar(shreddedType: ShreddedType) extends Draft
    final case class ArrayOf(element: Draft) extends Draft
    final class ObjectOf extends Draft {
      val fields = mutable.ArrayBuffer.empty[(PathStatistics, Draft)]
    }
  }

  private val MostRowsFirst: Ordering[Candidate] =
    Ordering.by((c: Candidate) => (c.path.rows, -c.column, -c.path.order))
}

private final class SchemaInference(limits: InferenceLimits) {
  import SchemaInference._

  private val queue = mutable.PriorityQueue.empty[Candidate](MostRowsFirst)
  private var left = limits.columns

  private def infer(columns: Seq[ColumnStatistics]): Seq[ShreddingSchema] = {
    val roots = Array.fill[Draft](columns.size)(Draft.Untyped)
    columns.zipWithIndex.foreach { case (column, i) =>
      queue.enqueue(new Candidate(i, column.root, valueCost = 0, roots(i) = _))
    }
    while (queue.nonEmpty) take(queue.dequeue(), columns)
    columns.zipWithIndex.map { case (column, i) => finish(roots(i), column) }
  }

  private def take(candidate: Candidate, columns: Seq[ColumnStatistics]): Unit = {
    val cost = columnsOf(candidate.path, candidate.valueCost)
    if (cost <= left) {
      left -= cost
      val leastRows =
        math.max(1L, math.ceil(limits.frequency * columns(candidate.column).rows).toLong)
      candidate.attach(draft(candidate.path, candidate.column, leastRows))
    }
  }

  /** Columns that the path takes with its `value`, without the fields of an object. */
  private def columnsOf(path: PathStatistics, valueCost: Int): Int =
    path.dominant(limits.typeShare) match {
      case DominantType.Scalar(_)                      => valueCost + 1
      case DominantType.Array if isTyped(path.element) => valueCost + columnsOf(path.element, 1)
      case _                                           => valueCost
    }

  private def draft(path: PathStatistics, column: Int, leastRows: Long): Draft =
    path.dominant(limits.typeShare) match {
      case DominantType.Scalar(shreddedType)           => Draft.Scalar(shreddedType)
      case DominantType.Array if isTyped(path.element) =>
        Draft.ArrayOf(draft(path.element, column, leastRows))
      case DominantType.Object =>
        val fields = new Draft.ObjectOf
        path.children.iterator.take(path.childCount).filter(_.rows >= leastRows).foreach { child =>
          queue.enqueue(
            new Candidate(column, child, valueCost = 1, draft => fields.fields += child -> draft)
          )
        }
        fields
      case DominantType.Array | DominantType.Mixed => Draft.Untyped
    }

  // Elements that have no type are better kept together in the array's own `value`.
  private def isTyped(element: PathStatistics): Boolean =
    element != null && element.dominant(limits.typeShare) != DominantType.Mixed

  private def finish(draft: Draft, column: ColumnStatistics): ShreddingSchema = draft match {
    case Draft.Untyped              => ShreddingSchema.Unshredded
    case Draft.Scalar(shreddedType) => ShreddingSchema.Primitive(shreddedType)
    case Draft.ArrayOf(element)     =>
      finish(element, column) match {
        case ShreddingSchema.Unshredded => ShreddingSchema.Unshredded
        case typed                      => ShreddingSchema.ArrayOf(typed)
      }
    case fields: Draft.ObjectOf if fields.fields.isEmpty => ShreddingSchema.Unshredded
    case fields: Draft.ObjectOf                          =>
      val named = fields.fields.map { case (path, field) =>
        column.nameOf(path) -> finish(field, column)
      }
      ShreddingSchema.ObjectOf(named.sortBy(_._1)(ByBytes).toVector)
  }

  private object ByBytes extends Ordering[String] {
    override def compare(a: String, b: String): Int =
      Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8))
  }
}
