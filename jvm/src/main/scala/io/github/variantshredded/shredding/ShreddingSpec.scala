package io.github.variantshredded.shredding

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.core.{JsonParser, JsonProcessingException}
import com.fasterxml.jackson.databind.ObjectMapper
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import org.apache.spark.sql.types._

/**
 * Describes how all Variants of a Spark schema are shredded.
 *
 * @param columns
 *   the Variant columns, in depth-first order of the schema
 */
final case class ShreddingSpec(columns: Vector[VariantColumn]) {

  /** Returns whether a file's schema is inferred for at least one column. */
  def infers: Boolean = columns.exists(_.shredding == ColumnShredding.Infer)

  /** Returns the same for a schema that differs in the names of columns and fields only. */
  def withNamesOf(schema: StructType): ShreddingSpec =
    ShreddingSpec(columns.zip(ShreddingSpec.variantColumns(schema)).map { case (column, named) =>
      column.copy(path = named.path)
    })
}

object ShreddingSpec {

  /** The value of the option that infers a schema for each file. */
  final val Infer = "infer"

  /** The value of the option for Variants that are stored as binary only. */
  final val NotShredded = "none"

  /** The beginning of the value `like:PATH`, which takes the schema of existing files. */
  final val LikePrefix = "like:"

  private val Expected = s"'$Infer', '$NotShredded', '${LikePrefix}PATH'"

  /**
   * Parses the option `shredding` for data of `schema`.
   *
   * @param option
   *   `infer`, `none`, `like:PATH`, a shredding text if there is one Variant column, or a JSON
   *   object from column paths to one of these. Columns that the object does not name are inferred.
   *   But Variants within arrays and maps are stored as binary only unless the object names them
   *   (`tags.element`, `attributes.value`); the value `infer` does not include them
   * @param caseSensitive
   *   whether column names are case-sensitive; if not, a name with the same case is preferred
   * @param like
   *   returns the schema that a column has in the files at a path
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_SHREDDING_SPECIFICATION` if the text cannot be parsed, or names a column that does
   *   not exist or is not a Variant
   */
  def parse(
      option: String,
      schema: StructType,
      caseSensitive: Boolean,
      like: (String, VariantColumn) => ShreddingSchema
  ): ShreddingSpec = {
    val found = variantColumns(schema)
    option.trim match {
      case text if text.equalsIgnoreCase(Infer) => ShreddingSpec(found)
      case text if text.equalsIgnoreCase(NotShredded) || startsWithLike(text) =>
        ShreddingSpec(found.map(column => column.copy(shredding = shredding(text, column, like))))
      case text if text.startsWith("{") => fromJson(text, schema, found, caseSensitive, like)
      case text                         =>
        found match {
          case Vector(only) if text.nonEmpty && !isUnknownWord(text) =>
            ShreddingSpec(Vector(only.copy(shredding = shredding(text, only, like))))
          case Vector(_) =>
            throw invalid(option, s"expected $Expected or fields such as: id bigint, name string.")
          case several =>
            throw invalid(
              option,
              s"expected $Expected or a JSON object such as {\"v\": \"id bigint, name string\"}, as " +
                s"there are ${several.size} columns with Variants: ${listed(several)}."
            )
        }
    }
  }

  private def isUnknownWord(text: String): Boolean =
    ShreddingText.isWord(text) && Try(ShreddingText.parse(text)).isFailure

  private def startsWithLike(text: String): Boolean =
    text.regionMatches(true, 0, LikePrefix, 0, LikePrefix.length)

  private def invalid(text: String, reason: String): VariantShreddedException =
    VariantShreddedErrors.invalidShreddingText(text, reason)

  private def fromJson(
      text: String,
      schema: StructType,
      found: Vector[VariantColumn],
      caseSensitive: Boolean,
      like: (String, VariantColumn) => ShreddingSchema
  ): ShreddingSpec = {
    def refuse(reason: String) = VariantShreddedErrors.invalidShreddingText(text, reason)
    val wanted =
      jsonEntries(text).fold(reason => throw refuse(reason), identity).map { case (key, value) =>
        val parts = columnPath(key).getOrElse(
          throw refuse(
            s"'$key' is not a column path; put dots between names, and special names in backticks."
          )
        )
        val path = resolve(parts, schema, caseSensitive).getOrElse(
          throw refuse(s"there is no column '$key'; columns with Variants: ${listed(found)}.")
        )
        if (!found.exists(_.path == path))
          throw refuse(
            s"the column '$key' is not a Variant; columns with Variants: ${listed(found)}."
          )
        path -> value
      }
    wanted.groupBy(_._1).find(_._2.size > 1).foreach { case (path, _) =>
      throw VariantShreddedErrors.invalidShreddingText(
        text,
        s"the column '${path.map(ShreddingText.quote).mkString(".")}' is given twice."
      )
    }
    val byPath = wanted.toMap
    ShreddingSpec(found.map { column =>
      byPath
        .get(column.path)
        .fold(column)(text => column.copy(shredding = shredding(text, column, like)))
    })
  }

  private def shredding(
      text: String,
      column: VariantColumn,
      like: (String, VariantColumn) => ShreddingSchema
  ): ColumnShredding = text.trim match {
    case word if word.equalsIgnoreCase(Infer)       => ColumnShredding.Infer
    case word if word.equalsIgnoreCase(NotShredded) =>
      ColumnShredding.Given(ShreddingSchema.Unshredded)
    case path if startsWithLike(path) =>
      ColumnShredding.Given(like(path.substring(LikePrefix.length).trim, column))
    case ddl => ColumnShredding.Given(ShreddingText.parse(ddl))
  }

  private val Mapper: ObjectMapper =
    new ObjectMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)

  /** Returns the entries of a JSON object whose values are strings, or the error. */
  private[shredding] def jsonEntries(text: String): Either[String, Vector[(String, String)]] = {
    val parser = Mapper.createParser(text)
    try {
      val tree = Mapper.readTree[com.fasterxml.jackson.databind.JsonNode](parser)
      if (!tree.isObject || parser.nextToken() != null) Left("it is not one JSON object.")
      else {
        val entries = tree.properties().asScala.toVector
        entries.find(!_.getValue.isTextual) match {
          case Some(other) => Left(s"the value of '${other.getKey}' is not a string.")
          case None        => Right(entries.map(entry => entry.getKey -> entry.getValue.asText()))
        }
      }
    } catch {
      case e: JsonProcessingException => Left(s"not JSON: ${e.getOriginalMessage}.")
    } finally parser.close()
  }

  /**
   * Splits `s.v` at its dots; names in backticks may contain any character. None if it is no path.
   */
  private[shredding] def columnPath(key: String): Option[Vector[String]] = {
    val Part = """`((?:[^`]|``)*)`|([^`.]+)""".r
    val parts = Vector.newBuilder[String]
    val rest = Part.pattern.matcher(key)
    var at = 0
    var isPath = true
    var more = true
    while (more && isPath) {
      rest.region(at, key.length)
      isPath = rest.lookingAt()
      if (isPath) {
        parts += Option(rest.group(1)).map(_.replace("``", "`")).getOrElse(rest.group(2))
        at = rest.end
        more = at < key.length
        if (more) {
          isPath = key.charAt(at) == '.'
          at += 1
        }
      }
    }
    Option.when(isPath)(parts.result())
  }

  /**
   * Returns the path with the names as they are written in the schema, or None if there is none.
   */
  private[shredding] def resolve(
      path: Vector[String],
      dataType: DataType,
      caseSensitive: Boolean
  ): Option[Vector[String]] = (path, dataType) match {
    case (Vector(), _)                      => Some(Vector.empty)
    case (_, udt: UserDefinedType[_])       => resolve(path, udt.sqlType, caseSensitive)
    case (name +: rest, StructType(fields)) =>
      def same(other: String) = if (caseSensitive) false else other.equalsIgnoreCase(name)
      fields
        .find(_.name == name)
        .orElse(fields.find(field => same(field.name)))
        .flatMap(field => resolve(rest, field.dataType, caseSensitive).map(field.name +: _))
    case (Element +: rest, ArrayType(element, _)) =>
      resolve(rest, element, caseSensitive).map(Element +: _)
    case (Value +: rest, MapType(_, value, _)) =>
      resolve(rest, value, caseSensitive).map(Value +: _)
    case _ => None
  }

  private final val Element = "element"
  private final val Value = "value"

  private def variantColumns(schema: StructType): Vector[VariantColumn] = {
    def within(dataType: DataType, path: Vector[String], repeated: Boolean): Vector[VariantColumn] =
      dataType match {
        case _: VariantType =>
          val shredding =
            if (repeated) ColumnShredding.Given(ShreddingSchema.Unshredded)
            else ColumnShredding.Infer
          Vector(VariantColumn(path, repeated, shredding))
        case StructType(fields) =>
          fields.toVector.flatMap(field => within(field.dataType, path :+ field.name, repeated))
        case ArrayType(element, _)   => within(element, path :+ Element, repeated = true)
        case MapType(_, value, _)    => within(value, path :+ Value, repeated = true)
        case udt: UserDefinedType[_] => within(udt.sqlType, path, repeated)
        case _                       => Vector.empty
      }
    within(schema, Vector.empty, repeated = false)
  }

  private[shredding] def listed(found: Vector[VariantColumn]): String =
    if (found.isEmpty) "none" else found.map(column => s"'${column.name}'").mkString(", ")
}
