package io.github.variantshredded.errors

/**
 * Holds the location of an error in the data; every part is optional and appears in the message.
 *
 * @param file
 *   path of the file
 * @param rowGroup
 *   index of the row group in the file, from 0
 * @param column
 *   the Parquet column (dotted path) or the Spark column
 * @param path
 *   path in the Variant, such as `$.items[3].price`
 * @param line
 *   number of the line in a text file, from 1
 */
final case class ErrorLocation(
    file: Option[String] = None,
    rowGroup: Option[Int] = None,
    column: Option[String] = None,
    path: Option[String] = None,
    line: Option[Long] = None
) {

  private[variantshredded] def parameters: Seq[(String, String)] = Seq(
    "file" -> file,
    "line" -> line.map(_.toString),
    "rowGroup" -> rowGroup.map(_.toString),
    "column" -> column,
    "path" -> path
  ).collect { case (name, Some(value)) => name -> value }

  /** Returns this location, with its missing parts taken from `outer`. */
  def within(outer: ErrorLocation): ErrorLocation = ErrorLocation(
    file.orElse(outer.file),
    rowGroup.orElse(outer.rowGroup),
    column.orElse(outer.column),
    path.orElse(outer.path),
    line.orElse(outer.line)
  )
}
