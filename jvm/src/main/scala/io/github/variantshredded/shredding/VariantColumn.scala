package io.github.variantshredded.shredding

/**
 * Identifies a Variant column of a Spark schema, at the top or within other types.
 *
 * @param path
 *   names from the top: a struct's field by its name, an array's element as `element`, a map's
 *   value as `value`
 * @param repeated
 *   whether the column is within an array or a map
 * @param choice
 *   the requests to schema inference, if the schema is inferred
 */
final case class VariantColumn(
    path: Vector[String],
    repeated: Boolean,
    shredding: ColumnShredding,
    choice: InferenceChoice = InferenceChoice.Free
) {

  /**
   * Returns the path as users write it, such as `s.v`; names with special characters are in
   * backticks.
   */
  def name: String = path.map(ShreddingText.quote).mkString(".")
}
