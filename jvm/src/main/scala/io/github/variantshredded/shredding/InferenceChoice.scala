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
