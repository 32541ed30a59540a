package io.github.variantshredded.fuzz

import io.github.variantshredded.extraction.PathStep
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree.{Arr, Obj}

/** A path, and what some Variants have there. */
final case class FoundPath(steps: Vector[PathStep], samples: Vector[VariantTree])

/** Random paths that lead to something in given Variants, mostly. */
final class RandomPath(dice: Dice) {

  def walk(samples: Vector[VariantTree]): FoundPath = walk(FoundPath(Vector(), samples))

  private def walk(found: FoundPath): FoundPath = {
    val containers = found.samples.filter {
      case Obj(fields)   => fields.nonEmpty
      case Arr(elements) => elements.nonEmpty
      case _             => false
    }
    val depth = found.steps.size
    if (containers.isEmpty || (depth > 0 && dice.oneIn(4)) || (depth == 0 && dice.oneIn(12))) {
      if (dice.oneIn(20)) {
        val step =
          if (dice.oneIn(3)) PathStep.Element(dice.below(3))
          else PathStep.Field(Shape.fieldName(dice))
        FoundPath(found.steps :+ step, Vector())
      } else found
    } else {
      dice.pick(containers) match {
        case Obj(fields) =>
          val name = dice.pick(fields)._1
          walk(
            FoundPath(
              found.steps :+ PathStep.Field(name),
              found.samples.collect { case Obj(f) => f.toMap.get(name) }.flatten
            )
          )
        case Arr(elements) =>
          val index = dice.below(elements.size)
          walk(
            FoundPath(
              found.steps :+ PathStep.Element(index),
              found.samples.collect { case Arr(e) => e.lift(index) }.flatten
            )
          )
        case _ => found
      }
    }
  }

  /** As options of writing take it: elements of arrays together. */
  def shreddingPath(samples: Vector[VariantTree]): String =
    walk(samples).steps.foldLeft("$") {
      case (path, PathStep.Element(_))  => s"$path[*]"
      case (path, PathStep.Field(name)) =>
        s"$path['${name.replace("\\", "\\\\").replace("'", "\\'")}']"
    }

  /** As `variant_get` takes it; none if a name cannot be written. */
  def getPath(steps: Seq[PathStep]): Option[String] =
    steps.foldLeft(Option("$")) {
      case (path, PathStep.Element(index)) => path.map(p => s"$p[$index]")
      case (path, PathStep.Field(name))    =>
        val behindDot = Option.when(name.nonEmpty && !name.exists(".[".contains(_)))(s".$name")
        val quoted =
          if (!name.contains('\'')) Some(s"['$name']")
          else Option.when(!name.contains('"'))(s"[\"$name\"]")
        val step = if (dice.oneIn(2)) behindDot.orElse(quoted) else quoted.orElse(behindDot)
        path.flatMap(p => step.map(p + _))
    }

  /** What stands behind the colon of `v:a.b[0]`; none if it cannot be written so, as `v:[0]`. */
  def colonPath(steps: Seq[PathStep]): Option[String] = {
    val parts = steps.zipWithIndex.map {
      case (PathStep.Element(index), at)              => Option.when(at > 0)(s"[$index]")
      case (PathStep.Field(name), at) if isWord(name) => Some(if (at == 0) name else s".$name")
      case (PathStep.Field(name), _) if isPlain(name) => Some(s"['$name']")
      case _                                          => None
    }
    Option.when(parts.nonEmpty && parts.forall(_.isDefined))(parts.flatten.mkString)
  }

  private def isWord(name: String): Boolean =
    name.nonEmpty && name.forall(c => c < 128 && c.isLetter) &&
      !RandomPath.reserved.contains(name.toLowerCase)

  // Spark's parser passes over white space in front, and then there has to be something.
  private def isPlain(name: String): Boolean =
    !name.isBlank && !name.exists("'\"\\\n\u0000`?".contains(_))
}

object RandomPath {
  private val reserved = Set("null")
}
