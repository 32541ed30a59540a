package io.github.variantshredded.write

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.github.variantshredded.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.ShreddingSpec
import org.apache.spark.sql.catalyst.expressions.variant.{ObjectExtraction, VariantPathParser}

/**
 * Options that list paths of fields: `$.did, $.commit.collection` in the only Variant column, or a
 * JSON object from columns to such lists.
 */
private[write] object FieldPaths {

  /**
   * The columns' places in [[ShreddingSpec.columns]], each with the field names of its paths, in the
   * order of the text.
   *
   * @param option
   *   its name, for errors
   * @throws io.github.variantshredded.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the text is neither; if it names no Variant column, or
   *   paths alone where there are several
   */
  def parse(
      option: String,
      text: String,
      spec: ShreddingSpec
  ): Vector[(Int, Vector[Vector[String]])] = new FieldPaths(option, text, spec).parse()
}

private final class FieldPaths(option: String, text: String, spec: ShreddingSpec) {

  def parse(): Vector[(Int, Vector[Vector[String]])] = {
    val byColumn = if (text.trim.startsWith("{")) entries else Vector(onlyColumn -> text)
    byColumn.map { case (column, paths) =>
      column -> paths.split(",\\s*(?=\\$)").toVector.map(path => fields(path.trim))
    }
  }

  private def fields(path: String): Vector[String] = {
    val segments = Try(VariantPathParser.parse(path)).toOption.flatten
    val names = segments.toVector.flatMap(_.toVector).map {
      case ObjectExtraction(name) => Some(name)
      case _                      => None
    }
    if (segments.isEmpty || names.contains(None))
      throw refused(s"paths of fields such as $$.a.b; '$path' is none")
    names.flatten
  }

  private def onlyColumn: Int =
    if (spec.columns.size == 1) 0
    else
      throw refused(
        s"a JSON object from column to paths where there are ${spec.columns.size} Variant columns"
      )

  private def entries: Vector[(Int, String)] = {
    val tree = Try(new ObjectMapper().readTree(text)).toOption.filter(_.isObject)
    val columns = spec.columns.map(column => s"'${column.name}'").mkString(", ")
    def expected = s"a JSON object from Variant columns (there are $columns) to paths"
    tree.toVector.flatMap(_.properties().asScala.toVector).map { entry =>
      val column = spec.columns.indexWhere(_.name.equalsIgnoreCase(entry.getKey))
      if (column < 0 || !entry.getValue.isTextual) throw refused(expected)
      column -> (entry.getValue: JsonNode).asText
    } match {
      case Vector() => throw refused(expected)
      case found    => found
    }
  }

  private def refused(expected: String): VariantShreddedException =
    VariantShreddedErrors.invalidOption(option, text, expected)
}
