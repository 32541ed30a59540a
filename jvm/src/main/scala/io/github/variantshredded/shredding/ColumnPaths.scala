package io.github.variantshredded.shredding

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.PathsText.Entry

/**
 * Parses options that list paths: `$.did, $.commit['odd name'], $.tags[*]` for the only Variant
 * column, or a JSON object from column names to such lists.
 */
private[variantshredded] object ColumnPaths {

  /**
   * Returns the indexes of the columns in [[ShreddingSpec.columns]], each with its paths, in the
   * order of the text.
   *
   * @param option
   *   name of the option, for errors
   * @param caseSensitive
   *   whether column names are case-sensitive; if not, a name with the same case is preferred
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the text is neither; if it names a column twice or one
   *   that is not a Variant; or if it names no column though there are several
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
        throw refused(s"a comma-separated list of paths, such as $$.a.b, $$['odd name']; $reason")
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
          s"a JSON object from columns to paths, as there are ${spec.columns.size} Variant columns"
        )
      Vector(0 -> paths(text))
    } else {
      val entries = ShreddingSpec.jsonEntries(text) match {
        case Right(entries) => entries.map { case (key, list) => column(key) -> paths(list) }
        case Left(reason)   =>
          throw refused(s"a JSON object from columns to paths; ${reason.stripSuffix(".")}")
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
    def index(same: (String, String) => Boolean) =
      Some(spec.columns.indexWhere(_.path.corresponds(path)(same))).filter(_ >= 0)
    index(_ == _).orElse(if (caseSensitive) None else index(_.equalsIgnoreCase(_)))
  }
}
