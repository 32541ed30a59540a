package io.github.variantshredded.testing

import scala.util.Random

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.testing.VariantTree._

/** What the `value` and the `typed_value` of one position hold for one Variant. */
final case class Cell(value: Option[VariantTree], typed: Option[Cell.Typed])

object Cell {
  val Missing: Cell = Cell(None, None)

  sealed trait Typed
  final case class Scalar(value: VariantTree) extends Typed

  /** In the order of the shredding schema. */
  final case class Fields(names: Vector[String], cells: Vector[Cell]) extends Typed
  final case class Elements(cells: Vector[Cell]) extends Typed
}

/** A shredding schema with the Parquet column of every leaf chosen. */
sealed trait DrawnSchema

object DrawnSchema {
  case object Untyped extends DrawnSchema
  final case class Leaf(column: ParquetLeaf) extends DrawnSchema
  final case class Fields(fields: Vector[(String, DrawnSchema)]) extends DrawnSchema
  final case class Elements(element: DrawnSchema) extends DrawnSchema

  def draw(schema: ShreddingSchema, rng: Random): DrawnSchema = schema match {
    case ShreddingSchema.Unshredded            => Untyped
    case ShreddingSchema.Primitive(leaf)       => Leaf(ParquetLeaf.draw(leaf, rng))
    case ShreddingSchema.ArrayOf(element)      => Elements(draw(element, rng))
    case ShreddingSchema.ObjectOf(namedFields) =>
      Fields(namedFields.map { case (name, field) => name -> draw(field, rng) })
  }
}

/**
 * Shreds by the letter of VariantShredding, "Value Shredding", and shares no code with the product.
 *
 * @param widen
 *   whether a number may go to a column of another width that holds it
 * @param rng
 *   leaves some scalars in `value` that their column could hold, as a writer may
 * @param leftOut
 *   one in so many, on average
 */
final class TreeShredder(widen: Boolean, rng: Random, leftOut: Int = 12) {

  def shred(tree: VariantTree, schema: DrawnSchema): Cell = (schema, tree) match {
    case (DrawnSchema.Fields(fields), Obj(children)) =>
      val byName = children.toMap
      val names = fields.map(_._1)
      val rest = children.filterNot { case (name, _) => names.contains(name) }
      val cells = fields.map { case (name, field) =>
        byName.get(name).fold(Cell.Missing)(shred(_, field))
      }
      Cell(Option.when(rest.nonEmpty)(Obj(rest)), Some(Cell.Fields(names, cells)))
    case (DrawnSchema.Elements(element), Arr(elements)) =>
      Cell(None, Some(Cell.Elements(elements.map(shred(_, element)))))
    case (DrawnSchema.Leaf(column), scalar) =>
      column
        .convert(scalar)
        .filter(stored => (widen || stored == scalar || isNaN(scalar)) && rng.nextInt(leftOut) > 0)
        .fold(Cell(Some(tree), None))(stored => Cell(None, Some(Cell.Scalar(stored))))
    case _ => Cell(Some(tree), None)
  }

  private def isNaN(tree: VariantTree) = tree match {
    case Flt(value) => value.isNaN
    case Dbl(value) => value.isNaN
    case _          => false
  }
}

object TreeShredder {

  /** The value of a cell ("Reconstructing a Shredded Variant"); None if it is missing. */
  def unshred(cell: Cell): Option[VariantTree] = cell.typed match {
    case None                            => cell.value
    case Some(Cell.Scalar(value))        => Some(value)
    case Some(Cell.Elements(cells))      => Some(Arr(cells.map(unshred(_).getOrElse(Null))))
    case Some(Cell.Fields(names, cells)) =>
      val shredded = names.zip(cells).flatMap { case (name, c) => unshred(c).map(name -> _) }
      val rest = cell.value.collect { case Obj(fields) => fields }.getOrElse(Vector.empty)
      Some(Obj(shredded ++ rest))
  }
}
