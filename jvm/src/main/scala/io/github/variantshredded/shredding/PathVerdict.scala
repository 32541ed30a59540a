package io.github.variantshredded.shredding

/** Says what a user requests for one path. */
sealed trait PathVerdict

object PathVerdict {

  /** The data decide whether the path is shredded. */
  case object Free extends PathVerdict

  /** The path is shredded, with a type that the data decide. */
  case object Include extends PathVerdict

  /** The path and everything below it stay in the residual value of the object or array above. */
  case object Exclude extends PathVerdict

  /** The path is shredded by this schema, whatever the data are (a pinned path). */
  final case class Pin(schema: ShreddingSchema) extends PathVerdict
}
