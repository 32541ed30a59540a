package io.github.variantshredded.shredding

import java.util.Arrays

import scala.collection.mutable

import io.github.variantshredded.shredding.ShreddingSchema._

/** Decides which positions become part of the schemas of a file, whose columns are limited. */
private[shredding] final class ColumnBudget {
  import ColumnBudget._

  private val candidates = mutable.ArrayBuffer.empty[Candidate]

  def add(candidate: Candidate): Unit = candidates += candidate

  /** Takes the candidates with the greatest benefit that fit the budget, and all pinned paths. */
  def spend(columns: Int): Unit = {
    var left = columns
    candidates.sorted(MostBenefitFirst).foreach { candidate =>
      val cost = candidate.cost + candidate.position.costToOpen
      if (cost <= left || candidate.rank == Rank.Pinned) {
        left -= cost
        candidate.position.open()
      }
    }
  }
}

private[shredding] object ColumnBudget {

  /** Defines the ranks of candidates: the budget is spent on lower ranks first. */
  object Rank {
    final val Pinned = 0
    final val Included = 1
    final val Current = 2
    final val Free = 3
  }

  /**
   * Holds a position that may become part of the schema.
   *
   * @param cost
   *   number of columns that its `value` takes: 0 for the root, which always has one
   */
  final class Position(
      parent: Option[Position],
      val name: Array[Byte],
      cost: Int,
      val isField: Boolean
  ) {
    var shape: Shape = Shape.Leaf(Unshredded)
    var isOpen = false

    /**
     * Returns the number of columns that this position and those above it need before they are
     * open.
     */
    def costToOpen: Int = if (isOpen) 0 else cost + parent.fold(0)(_.costToOpen)

    def open(): Unit = {
      isOpen = true
      parent.foreach(_.open())
    }

    /** Returns the names from the root to this position. */
    def path: Vector[Array[Byte]] = parent.fold(Vector.empty[Array[Byte]])(_.path) :+ name

    def schema: ShreddingSchema = shape match {
      case _ if !isOpen         => Unshredded
      case Shape.Leaf(schema)   => schema
      case Shape.Array(element) => if (element.isOpen) ArrayOf(element.schema) else Unshredded
      case Shape.Object(fields) =>
        val taken = fields.filter { case (_, field) => field.isOpen }
        if (taken.isEmpty) Unshredded
        else
          ObjectOf(
            taken
              .sortBy(_._2.name)(ByBytes)
              .map { case (name, field) =>
                name -> field.schema
              }
              .toVector
          )
    }
  }

  sealed trait Shape

  object Shape {
    final case class Leaf(schema: ShreddingSchema) extends Shape
    final case class Array(element: Position) extends Shape
    final case class Object(fields: Seq[(String, Position)]) extends Shape
  }

  /** Holds a possible part of the schema, with the number of columns that it costs. */
  final class Candidate(
      val rank: Int,
      val benefit: Long,
      val column: Int,
      val position: Position,
      val cost: Int
  ) {
    val path: Vector[Array[Byte]] = position.path
  }

  object ByBytes extends Ordering[Array[Byte]] {
    override def compare(a: Array[Byte], b: Array[Byte]): Int = Arrays.compareUnsigned(a, b)
  }

  private val MostBenefitFirst: Ordering[Candidate] = {
    val byPath = Ordering.Implicits.seqOrdering[Vector, Array[Byte]](ByBytes)
    Ordering
      .by((candidate: Candidate) => candidate.rank)
      .orElseBy(-_.benefit)
      .orElseBy(_.column)
      .orElse(Ordering.by((candidate: Candidate) => candidate.path)(byPath))
  }
}
