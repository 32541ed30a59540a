package io.github.variantshredded.shredding

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.PathsText.Entry

/**
 * Options that list paths: `$.did, $.commit['odd name'], $.tags[*]` in the only Variant column, or a
 * JSON object from columns to such lists.
 */
private[variantshredded] object ColumnPaths {

  /**
   * The columns' places in [[ShreddingSpec.columns]], each with its paths, in the order of the text.
   *
   * @param option
   *   its name, for errors
   * @param caseSensitive
   *   whether column names are compared as they are; if not, one that is written the same goes
   *   first, then any case
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the text is neither; if it names a column twice or one that
   *   is no Variant, or has paths alone where there are several columns
   */
  def parse(
      option: String,
      text: String,
      spec: ShreddingSpec,
      caseSensitive: Boolean
  ): Vector[(Int, Vector[Entry])] = {
    def refused(expected: String): VariantShreddedException =
      VariantShreddedErrors.invalidOption(option, text, expected)

    def paths(list: String): Vector[Entry] = PathsText.parse(list, typed = false) match {
      case Right(entries) => entries
      case Left(reason)   =>
        throw refused(s"paths with commas between them, such as $$.a.b, $$['odd name']; $reason")
    }

    def column(key: String): Int =
      ShreddingSpec
        .columnPath(key)
        .flatMap(indexOf(_, spec, caseSensitive))
        .getOrElse(
          throw refused(
            s"a JSON object from Variant columns to paths; '$key' is none of " +
              ShreddingSpec.listed(spec.columns)
          )
        )

    if (!text.trim.startsWith("{")) {
      if (spec.columns.size != 1)
        throw refused(
          s"a JSON object from column to paths where there are ${spec.columns.size} Variant columns"
        )
      Vector(0 -> paths(text))
    } else {
      val entries = ShreddingSpec.jsonEntries(text) match {
        case Right(entries) => entries.map { case (key, list) => column(key) -> paths(list) }
        case Left(reason)   =>
          throw refused(s"a JSON object from column to paths; ${reason.stripSuffix(".")}")
      }
      if (entries.map(_._1).distinct.size < entries.size) throw refused("each column once")
      entries
    }
  }

  private def indexOf(
      path: Vector[String],
      spec: ShreddingSpec,
      caseSensitive: Boolean
  ): Option[Int] = {
    def place(same: (String, String) => Boolean) =
      Some(spec.columns.indexWhere(_.path.corresponds(path)(same))).filter(_ >= 0)
    place(_ == _).orElse(if (caseSensitive) None else place(_.equalsIgnoreCase(_)))
  }
}
