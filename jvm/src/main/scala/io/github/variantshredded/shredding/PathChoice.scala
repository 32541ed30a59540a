package io.github.variantshredded.shredding

/**
 * Holds what a user requests for a path and for the paths below it.
 *
 * @param element
 *   the request for the elements of an array; it cannot force a column if `fields` force one
 */
final case class PathChoice(
    verdict: PathVerdict = PathVerdict.Free,
    fields: Map[String, PathChoice] = Map.empty,
    element: Option[PathChoice] = None
) {

  /** Returns whether this path or a path below it has to be shredded. */
  def forces: Boolean = verdict match {
    case PathVerdict.Include | PathVerdict.Pin(_) => true
    case PathVerdict.Free | PathVerdict.Exclude   => forcesFields || forcesElement
  }

  def forcesFields: Boolean = fields.values.exists(_.forces)

  def forcesElement: Boolean = element.exists(_.forces)

  def field(name: String): PathChoice = fields.getOrElse(name, PathChoice.Free)

  def elements: PathChoice = element.getOrElse(PathChoice.Free)
}

object PathChoice {

  val Free: PathChoice = PathChoice()

  /** Returns the paths of a schema, without a request for any of them. */
  def shapeOf(schema: ShreddingSchema): PathChoice = schema match {
    case ShreddingSchema.ObjectOf(fields) =>
      PathChoice(fields = fields.map { case (name, field) => name -> shapeOf(field) }.toMap)
    case ShreddingSchema.ArrayOf(element) => PathChoice(element = Some(shapeOf(element)))
    case _                                => Free
  }
}
