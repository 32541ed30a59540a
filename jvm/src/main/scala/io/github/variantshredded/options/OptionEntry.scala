package io.github.variantshredded.options

import java.util.Locale

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Declares one option of the source: its name, its values, and its text.
 *
 * @param name
 *   name of the option, which is not case-sensitive
 * @param defaultText
 *   what holds if the option is not given, in words for the documentation; an
 *   [[OptionWithDefault]] has the value, too
 * @param expected
 *   description of the allowed values; ends the sentence "Option 'x' is 'y', expected ..."
 * @param doc
 *   what it does, one or two sentences
 * @param formerName
 *   a name that the option had before; it is still read, unless `name` is given too
 * @param parse
 *   returns the value of a text, or `None` if the text is not allowed
 */
class OptionEntry[A](
    val name: String,
    val defaultText: String,
    val expected: String,
    val doc: String,
    val formerName: Option[String]
)(parse: String => Option[A]) {

  /**
   * Returns the value in `options`, or None if the option is not given.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the value is not allowed
   */
  def get(options: CaseInsensitiveStringMap): Option[A] =
    Option(options.get(name)).orElse(formerName.flatMap(n => Option(options.get(n)))).map(valueOf)

  /** Decides whether `key` is a name of this option, in any case. */
  def isNamed(key: String): Boolean =
    name.equalsIgnoreCase(key) || formerName.exists(_.equalsIgnoreCase(key))

  /** Returns the value of a text; throws the same exception as [[get]]. */
  def valueOf(text: String): A =
    parse(text).getOrElse(throw VariantShreddedErrors.invalidOption(name, text, expected))

  override def toString: String = name
}

object OptionEntry {

  /**
   * Returns an option whose default is not a value of its own, such as a setting of the session.
   */
  def apply[A](name: String, defaultText: String, expected: String, doc: String)(
      parse: String => Option[A]
  ): OptionEntry[A] = new OptionEntry(name, defaultText, expected, doc, None)(parse)

  /** Returns an option with any text, which is checked where it is used. */
  def text(
      name: String,
      defaultText: String,
      expected: String,
      doc: String
  ): OptionEntry[String] = OptionEntry(name, defaultText, expected, doc)(Some(_))

  /** Returns an option with `true` or `false`, whose default is `setting` of the session. */
  def booleanOfSession(name: String, setting: String, doc: String): OptionEntry[Boolean] =
    OptionEntry(name, setting, Booleans, doc)(boolean)

  /** Returns an option with one of `values`, whose default is `setting` of the session. */
  def choiceOfSession[A](
      name: String,
      setting: String,
      values: Seq[A],
      doc: String
  ): OptionEntry[A] = OptionEntry(name, setting, oneOf(values), doc)(choice(values))

  private[options] final val Booleans = "true or false"

  private[options] def boolean(text: String): Option[Boolean] =
    text.trim.toLowerCase(Locale.ROOT).toBooleanOption

  private[options] def oneOf(values: Seq[Any]): String = values.mkString("one of ", ", ", "")

  private[options] def choice[A](values: Seq[A])(text: String): Option[A] =
    values.find(_.toString.equalsIgnoreCase(text.trim))
}
