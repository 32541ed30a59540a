package io.github.variantshredded.options

import java.util.Locale

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * One option of the source: its name, its values, and its text.
 *
 * @param name
 *   name of the option, which is not case-sensitive
 * @param default
 *   the value if the option is not given, in words for the documentation
 * @param expected
 *   description of the allowed values; ends the sentence "Option 'x' is 'y', expected ..."
 * @param doc
 *   what it does, one or two sentences
 * @param formerName
 *   a name that the option had before; it is still read, unless `name` is given too
 * @param parse
 *   returns the value of a text, or `None` if the text is not allowed
 */
final case class OptionEntry[A](
    name: String,
    default: String,
    expected: String,
    doc: String,
    formerName: Option[String] = None
)(parse: String => Option[A]) {

  /**
   * Returns the value in `options`, or None if the option is not given.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the value is not allowed
   */
  def get(options: CaseInsensitiveStringMap): Option[A] =
    Option(options.get(name)).orElse(formerName.flatMap(n => Option(options.get(n)))).map(valueOf)

  /** Returns this entry, which is also read by the name that it had before. */
  def formerly(name: String): OptionEntry[A] = copy(formerName = Some(name))(parse)

  /** Decides whether `key` is a name of this option, in any case. */
  def isNamed(key: String): Boolean =
    name.equalsIgnoreCase(key) || formerName.exists(_.equalsIgnoreCase(key))

  /** Returns the value of a text; throws the same exception as [[get]]. */
  def valueOf(text: String): A =
    parse(text).getOrElse(throw VariantShreddedErrors.invalidOption(name, text, expected))
}

object OptionEntry {

  def boolean(name: String, default: String, doc: String): OptionEntry[Boolean] =
    OptionEntry(name, default, "true or false", doc)(
      _.trim.toLowerCase(Locale.ROOT).toBooleanOption
    )

  /** An option with a whole number within `range`, which includes both ends. */
  def int(name: String, default: String, range: Range.Inclusive, doc: String): OptionEntry[Int] =
    OptionEntry(name, default, s"a whole number from ${range.start} to ${range.end}", doc)(
      _.trim.toIntOption.filter(range.contains)
    )

  /** An option with one of `values`, which are not case-sensitive. */
  def choice(name: String, default: String, values: Seq[String], doc: String): OptionEntry[String] =
    OptionEntry(name, default, values.mkString("one of ", ", ", ""), doc)(text =>
      values.find(_.equalsIgnoreCase(text.trim))
    )

  /** An option with any text, which is checked where it is used. */
  def text(name: String, default: String, expected: String, doc: String): OptionEntry[String] =
    OptionEntry(name, default, expected, doc)(Some(_))
}
