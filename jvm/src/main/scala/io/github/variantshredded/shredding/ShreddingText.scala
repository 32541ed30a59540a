package io.github.variantshredded.shredding

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
