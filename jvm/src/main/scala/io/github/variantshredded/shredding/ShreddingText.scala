package io.github.variantshredded.shredding

import java.nio.charset.StandardCharsets
import java.util.Locale

import scala.collection.immutable.VectorBuilder
import scala.collection.mutable

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.ShreddingSchema._

/**
 * Parses and writes the text form of a [[ShreddingSchema]].
 *
 * {{{
 * text   ::= type | field ("," field)*        a field list is an object of these fields
 * field  ::= name [":"] type
 * name   ::= letters, digits and "_" | "`" any characters, "``" for a backtick "`"
 * type   ::= "boolean" | "tinyint" | "smallint" | "int" | "bigint" | "float" | "double"
 *          | "decimal" ["(" precision "," scale ")"] | "date" | "time"
 *          | "timestamp" | "timestamp_ntz" | "timestamp_ns" | "timestamp_ntz_ns"
 *          | "binary" | "string" | "uuid" | "variant"
 *          | "array" "<" type ">" | "struct" "<" field ("," field)* ">"
 * }}}
 *
 * Type names are not case-sensitive, and Spark's other names of the same types are accepted
 * (`byte`, `short`, `integer`, `long`, `real`, `timestamp_ltz`, `dec`, `numeric`). Field names are
 * case-sensitive. The type `variant` stands for Variant binary: a shredded field without
 * `typed_value`.
 */
object ShreddingText {

  /**
   * Parses `text`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_SHREDDING_SPECIFICATION`, with the position of the error (the first character is 1)
   */
  def parse(text: String): ShreddingSchema = new ShreddingTextParser(text).parse()

  /**
   * Returns the canonical text of `schema`: `parse(render(schema)) == schema` for every schema that
   * has a text form.
   */
  def render(schema: ShreddingSchema): String = {
    val out = new StringBuilder
    schema match {
      case ObjectOf(fields) => renderFields(fields, out)
      case other            => renderType(other, out)
    }
    out.toString
  }

  /** Returns `name` as the text form requires it: in backticks unless it is a plain word. */
  def quote(name: String): String =
    if (name.nonEmpty && isWord(name)) name else s"`${name.replace("`", "``")}`"

  private[shredding] def isWord(name: String): Boolean =
    name.codePoints().allMatch(c => isWordPart(c))

  private[shredding] def isWordPart(codePoint: Int): Boolean =
    codePoint == '_' || Character.isLetterOrDigit(codePoint)

  private def renderFields(fields: Vector[(String, ShreddingSchema)], out: StringBuilder): Unit =
    fields.zipWithIndex.foreach { case ((name, schema), i) =>
      if (i > 0) out.append(", ")
      out.append(quote(name)).append(' ')
      renderType(schema, out)
    }

  private def renderType(schema: ShreddingSchema, out: StringBuilder): Unit = schema match {
    case Unshredded              => out.append("variant")
    case Primitive(shreddedType) => out.append(typeName(shreddedType))
    case ArrayOf(element)        =>
      out.append("array<")
      renderType(element, out)
      out.append('>')
    case ObjectOf(fields) =>
      out.append("struct<")
      renderFields(fields, out)
      out.append('>')
  }

  private def typeName(shreddedType: ShreddedType): String = shreddedType match {
    case ShreddedType.DecimalOf(precision, scale) => s"decimal($precision,$scale)"
    case other                                    => NameOf(other)
  }

  private[shredding] val TypeOf: Map[String, ShreddedType] = Map(
    "boolean" -> ShreddedType.BooleanType,
    "tinyint" -> ShreddedType.Int8,
    "smallint" -> ShreddedType.Int16,
    "int" -> ShreddedType.Int32,
    "bigint" -> ShreddedType.Int64,
    "float" -> ShreddedType.FloatType,
    "double" -> ShreddedType.DoubleType,
    "date" -> ShreddedType.Date,
    "time" -> ShreddedType.Time,
    "timestamp" -> ShreddedType.TimestampMicros,
    "timestamp_ns" -> ShreddedType.TimestampNanos,
    "timestamp_ntz" -> ShreddedType.TimestampNtzMicros,
    "timestamp_ntz_ns" -> ShreddedType.TimestampNtzNanos,
    "binary" -> ShreddedType.Binary,
    "string" -> ShreddedType.StringType,
    "uuid" -> ShreddedType.Uuid
  )

  private val NameOf: Map[ShreddedType, String] = TypeOf.map(_.swap)

  private[shredding] val Aliases: Map[String, String] = Map(
    "byte" -> "tinyint",
    "short" -> "smallint",
    "integer" -> "int",
    "long" -> "bigint",
    "real" -> "float",
    "timestamp_ltz" -> "timestamp",
    "dec" -> "decimal",
    "numeric" -> "decimal"
  )
}

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
