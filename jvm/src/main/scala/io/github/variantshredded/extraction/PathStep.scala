package io.github.variantshredded.extraction

/** Describes one step of a path in a Variant. */
sealed trait PathStep

object PathStep {

  /** The field `name` of an object. */
  final case class Field(name: String) extends PathStep

  /** The element `index`, counted from 0, of an array. */
  final case class Element(index: Int) extends PathStep
}
