package io.github.variantshredded.options

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Declares an option with a default value. The documentation shows this value, and the code uses
 * it.
 *
 * @param default
 *   the value if the option is not given
 */
final class OptionWithDefault[A] private (
    name: String,
    val default: A,
    defaultText: String,
    expected: String,
    doc: String,
    formerName: Option[String]
)(parse: String => Option[A])
    extends OptionEntry[A](name, defaultText, expected, doc, formerName)(parse) {

  /**
   * Returns the value in `options`, or the default.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   as of `get`
   */
  def of(options: CaseInsensitiveStringMap): A = get(options).getOrElse(default)
}

object OptionWithDefault {

  /**
   * Returns an option with the values that `parse` accepts.
   *
   * @param defaultText
   *   the text of the default, which `parse` accepts, too
   */
  def apply[A](name: String, default: A, defaultText: String, expected: String, doc: String)(
      parse: String => Option[A]
  ): OptionWithDefault[A] =
    new OptionWithDefault(name, default, defaultText, expected, doc, None)(parse)

  /** Returns an option with `true` or `false`. */
  def boolean(name: String, default: Boolean, doc: String): OptionWithDefault[Boolean] =
    OptionWithDefault(name, default, default.toString, OptionEntry.Booleans, doc)(
      OptionEntry.boolean
    )

  /** Returns an option with a whole number within `range`, which includes both ends. */
  def int(
      name: String,
      default: Int,
      range: Range.Inclusive,
      doc: String
  ): OptionWithDefault[Int] = OptionWithDefault(
    name,
    default,
    default.toString,
    s"a whole number from ${range.start} to ${range.end}",
    doc
  )(_.trim.toIntOption.filter(range.contains))

  /** Returns an option with one of `values`, which are not case-sensitive. */
  def choice(
      name: String,
      default: String,
      values: Seq[String],
      doc: String,
      formerName: Option[String] = None
  ): OptionWithDefault[String] = new OptionWithDefault(
    name,
    default,
    default,
    OptionEntry.oneOf(values),
    doc,
    formerName
  )(OptionEntry.choice(values))
}
