package io.github.variantshredded.shredding

/**
 * Says what schema inference has to respect for one column: the requests of the user, and the
 * schema of the existing files.
 *
 * @param wanted
 *   the user's requests by path, from the root
 * @param current
 *   the shredding schema of the column in the files that rows are added to
 */
final case class InferenceChoice(
    wanted: PathChoice = PathChoice.Free,
    current: Option[ShreddingSchema] = None
)

object InferenceChoice {

  /** The choice that leaves everything to the data. */
  val Free: InferenceChoice = InferenceChoice()
}

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
