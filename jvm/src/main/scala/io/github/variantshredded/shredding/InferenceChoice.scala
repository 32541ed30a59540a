package io.github.variantshredded.shredding

/**
 * What a user, or the files that are there already, want of the inference for one column.
 *
 * @param wanted
 *   verdicts by path, from the topmost value
 * @param current
 *   how the column is shredded in the files that rows are added to
 */
final case class InferenceChoice(
    wanted: PathChoice = PathChoice.Free,
    current: Option[ShreddingSchema] = None
)

object InferenceChoice {

  /** Nothing is wanted. */
  val Free: InferenceChoice = InferenceChoice()
}

/** What is wanted of one path. */
sealed trait PathVerdict

object PathVerdict {

  /** The data decide. */
  case object Free extends PathVerdict

  /** It gets a column, and a type as the data have it. */
  case object Include extends PathVerdict

  /** It stays in the residual of what it lies in, with all that is below. */
  case object Exclude extends PathVerdict

  /** It is shredded in this way, whatever the data are. */
  final case class Pin(schema: ShreddingSchema) extends PathVerdict
}

/**
 * Verdicts on a path and on those below.
 *
 * @param element
 *   on elements of arrays; never beside `fields` that force an object
 */
final case class PathChoice(
    verdict: PathVerdict = PathVerdict.Free,
    fields: Map[String, PathChoice] = Map.empty,
    element: Option[PathChoice] = None
) {

  /** Whether a column is asked for, here or below. */
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

  /** The paths of a schema, with nothing asked for. */
  def shapeOf(schema: ShreddingSchema): PathChoice = schema match {
    case ShreddingSchema.ObjectOf(fields) =>
      PathChoice(fields = fields.map { case (name, field) => name -> shapeOf(field) }.toMap)
    case ShreddingSchema.ArrayOf(element) => PathChoice(element = Some(shapeOf(element)))
    case _                                => Free
  }
}
