package io.github.variantshredded.shredding

import java.nio.charset.StandardCharsets
import java.util.Locale

import scala.collection.immutable.VectorBuilder
import scala.collection.mutable

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.ShreddingSchema._

/** Parses one text by recursive descent. */
private[shredding] final class ShreddingTextParser(text: String) {
  private var position = 0
  private var depth = 0

  def parse(): ShreddingSchema = {
    skipBlanks()
    if (position == text.length) throw error("it is empty; expected a type or a list of fields")
    val schema =
      if (startsWithField()) {
        // The list stands for an object around the fields.
        depth = 1
        ObjectOf(fieldList())
      } else typeName()
    skipBlanks()
    if (position < text.length) throw unexpected("the end")
    schema
  }

  /**
   * Returns whether a list of fields begins here: a name that is followed by more than `<` or `(`.
   */
  private def startsWithField(): Boolean = {
    val start = position
    val quoted = text.charAt(position) == '`'
    name("a type or a field name")
    skipBlanks()
    val isType =
      position == text.length || text.charAt(position) == '<' || text.charAt(position) == '('
    position = start
    quoted || !isType
  }

  private def fieldList(): Vector[(String, ShreddingSchema)] = {
    val fields = new VectorBuilder[(String, ShreddingSchema)]
    val seen = mutable.HashSet.empty[String]
    var more = true
    while (more) {
      skipBlanks()
      val start = position
      val fieldName = name("a field name")
      if (!seen.add(fieldName)) {
        position = start
        throw error(s"the field ${ShreddingText.quote(fieldName)} is given twice")
      }
      if (!StandardCharsets.UTF_8.newEncoder().canEncode(fieldName)) {
        position = start
        throw error("the field's name is not valid Unicode")
      }
      skipBlanks()
      if (position < text.length && text.charAt(position) == ':') position += 1
      fields += fieldName -> typeName()
      skipBlanks()
      more = position < text.length && text.charAt(position) == ','
      if (more) position += 1
    }
    fields.result()
  }

  private def typeName(): ShreddingSchema = {
    skipBlanks()
    val start = position
    if (position < text.length && text.charAt(position) == '`') throw unexpected("a type")
    val word = name("a type").toLowerCase(Locale.ROOT)
    ShreddingText.Aliases.getOrElse(word, word) match {
      case "variant"                                     => Unshredded
      case "array"                                       => nested(start)(ArrayOf(typeName()))
      case "struct"                                      => nested(start)(ObjectOf(fieldList()))
      case "decimal"                                     => Primitive(decimal(start))
      case known if ShreddingText.TypeOf.contains(known) => Primitive(ShreddingText.TypeOf(known))
      case _                                             =>
        position = start
        throw error(s"'$word' is not a type")
    }
  }

  private def nested(start: Int)(content: => ShreddingSchema): ShreddingSchema = {
    depth += 1
    if (depth > ShreddingSchema.MaxDepth) {
      position = start
      throw error(s"it is nested deeper than ${ShreddingSchema.MaxDepth} levels")
    }
    expect('<')
    val schema = content
    expect('>')
    depth -= 1
    schema
  }

  private def decimal(start: Int): ShreddedType = {
    skipBlanks()
    if (position < text.length && text.charAt(position) == '(') {
      position += 1
      val precision = number()
      expect(',')
      val scale = number()
      expect(')')
      if (precision < 1 || precision > 38 || scale > precision) {
        position = start
        throw error(
          s"decimal($precision,$scale) must have a precision of 1 to 38 and a scale up to it"
        )
      }
      ShreddedType.DecimalOf(precision, scale)
    } else {
      ShreddedType.DecimalOf(10, 0)
    }
  }

  private def number(): Int = {
    skipBlanks()
    val start = position
    while (position < text.length && text.charAt(position) >= '0' && text.charAt(position) <= '9')
      position += 1
    // At most 9 digits: more than any allowed number has, and they always fit into an Int.
    if (position == start || position - start > 9) {
      position = start
      throw unexpected("a number")
    }
    text.substring(start, position).toInt
  }

  private def name(what: String): String = {
    if (position == text.length) throw unexpected(what)
    if (text.charAt(position) == '`') quotedName() else plainName(what)
  }

  private def plainName(what: String): String = {
    val start = position
    while (position < text.length && ShreddingText.isWordPart(text.codePointAt(position)))
      position += Character.charCount(text.codePointAt(position))
    if (position == start) throw unexpected(what)
    text.substring(start, position)
  }

  private def quotedName(): String = {
    val start = position
    val out = new StringBuilder
    position += 1
    var open = true
    while (open) {
      val close = text.indexOf('`'.toInt, position)
      if (close < 0) {
        position = start
        throw error("the backtick is never closed")
      }
      out.append(text.substring(position, close))
      position = close + 1
      open = position < text.length && text.charAt(position) == '`'
      if (open) {
        out.append('`')
        position += 1
      }
    }
    out.toString
  }

  private def expect(char: Char): Unit = {
    skipBlanks()
    if (position == text.length || text.charAt(position) != char) throw unexpected(s"'$char'")
    position += 1
  }

  private def skipBlanks(): Unit =
    while (position < text.length && Character.isWhitespace(text.charAt(position))) position += 1

  private def unexpected(expected: String): VariantShreddedException = {
    val found =
      if (position == text.length) "the end"
      else s"'${new String(Character.toChars(text.codePointAt(position)))}'"
    error(s"expected $expected, found $found")
  }

  private def error(reason: String): VariantShreddedException =
    VariantShreddedErrors.invalidShreddingText(text, s"at character ${position + 1}: $reason.")
}
