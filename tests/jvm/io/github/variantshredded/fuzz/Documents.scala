package io.github.variantshredded.fuzz

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._

/**
 * Random Variants of one column: most are of one shape, some have other values here and there.
 *
 * @param negativeZeros
 *   whether some floating-point numbers are -0.0
 */
final class Documents(dice: Dice, val negativeZeros: Boolean) {

  private val shape = Shape.document(dice, negativeZeros)
  private val strays = dice.pick(Vector(0.0, 0.0, 0.01, 0.1))
  private val nulls = dice.pick(Vector(0.0, 0.02, 0.2))
  private val missing = dice.pick(Vector(0.0, 0.05, 0.3))

  /** None for SQL NULL. */
  def next(): Option[VariantTree] = if (dice.chance(missing)) None else Some(value(shape))

  private def value(shape: Shape): VariantTree =
    if (dice.chance(nulls)) Null
    else if (dice.chance(strays)) stray()
    else {
      shape match {
        case Shape.Scalar(make)         => make(dice)
        case Shape.AnyOf(shapes)        => value(dice.pick(shapes))
        case Shape.Elements(element, n) => Arr(Vector.fill(dice.below(n + 1))(value(element)))
        case Shape.Fields(fields)       =>
          val present = fields.filter(field => dice.chance(field.presence))
          val known = present.map(field => field.name -> value(field.shape))
          val more = if (dice.chance(strays)) Vector(Shape.fieldName(dice) -> stray()) else Vector()
          Obj((known ++ more).distinctBy(_._1))
      }
    }

  private def stray(): VariantTree = dice.below(6) match {
    case 0 => Obj(Vector(Shape.fieldName(dice) -> scalar()))
    case 1 => Arr(Vector.fill(dice.below(3))(scalar()))
    case _ => scalar()
  }

  private def scalar(): VariantTree = Shape.scalar(dice, negativeZeros) match {
    case Shape.Scalar(make) => make(dice)
    case _                  => Null
  }
}
