package io.github.variantshredded.extraction

/** Describes one step of a path in a Variant. */
sealed trait PathStep

object PathStep {

  /** Leads to the field `name` of an object. */
  final case class Field(name: String) extends PathStep

  /** Leads to the element `index`, counted from 0, of an array. */
  final case class Element(index: Int) extends PathStep
}
