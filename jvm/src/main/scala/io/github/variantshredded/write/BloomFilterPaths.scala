package io.github.variantshredded.write

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.github.variantshredded.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.{
  ColumnShredding,
  ShreddedType,
  ShreddingSchema,
  ShreddingSpec,
  VariantColumn
}
import io.github.variantshredded.shredding.ShreddingSchema._
import org.apache.spark.sql.catalyst.expressions.variant.{ObjectExtraction, VariantPathParser}

/**
 * The paths that get bloom filters, in every file in which they have a typed column.
 *
 * @param columns
 *   for each Variant column, in the order of [[ShreddingSpec.columns]], the field names of each path
 */
private[write] final case class BloomFilterPaths(columns: Vector[Vector[Vector[String]]])

private[write] object BloomFilterPaths {

  /**
   * Reads the option `bloomFilter`: paths such as `$.did, $.commit.collection` of the only Variant
   * column, or a JSON object from columns to such paths.
   *
   * @throws io.github.variantshredded.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if it is neither; if it names no Variant column, or by paths
   *   alone where there are several; if a path has no typed column though the column's schema is given
   */
  def parse(option: Option[String], spec: ShreddingSpec): BloomFilterPaths = {
    val none = spec.columns.map(_ => Vector.empty[Vector[String]])
    option.filter(_.trim.nonEmpty).fold(BloomFilterPaths(none)) { text =>
      val byColumn =
        if (text.trim.startsWith("{")) entries(text, spec)
        else Vector(onlyColumn(text, spec) -> text)
      BloomFilterPaths(byColumn.foldLeft(none) { case (found, (column, paths)) =>
        found.updated(column, pathsOf(paths, text, spec.columns(column)))
      })
    }
  }

  /** Columns below the Variant's group, from there, that hold what is at the path or in its arrays. */
  def leaf(schema: ShreddingSchema, path: Vector[String]): Option[Vector[String]] =
    schema match {
      case ObjectOf(fields) =>
        path.headOption
          .flatMap(name => fields.find(_._1 == name))
          .flatMap { case (name, field) =>
            leaf(field, path.tail).map(Vector("typed_value", name) ++ _)
          }
      case ArrayOf(element) if path.isEmpty =>
        leaf(element, path).map(Vector("typed_value", "list", "element") ++ _)
      // A filter of two values says nothing, and Parquet has none.
      case Primitive(shreddedType) if path.isEmpty && shreddedType != ShreddedType.BooleanType =>
        Some(Vector("typed_value"))
      case _ => None
    }

  private def pathsOf(
      paths: String,
      text: String,
      column: VariantColumn
  ): Vector[Vector[String]] = {
    val found = paths.split(",\\s*(?=\\$)").toVector.map(path => fields(path.trim, text))
    column.shredding match {
      case ColumnShredding.Given(schema) =>
        found.find(leaf(schema, _).isEmpty).foreach { path =>
          throw refused(
            text,
            s"paths with a typed column; '${path.mkString("$.", ".", "")}' has none in '${column.name}'"
          )
        }
      case ColumnShredding.Infer => ()
    }
    found
  }

  private def fields(path: String, text: String): Vector[String] = {
    val segments = Try(VariantPathParser.parse(path)).toOption.flatten
    val names = segments.toVector.flatMap(_.toVector).map {
      case ObjectExtraction(name) => Some(name)
      case _                      => None
    }
    if (segments.isEmpty || names.contains(None))
      throw refused(text, s"paths of fields such as $$.a.b; '$path' is none")
    names.flatten
  }

  private def onlyColumn(text: String, spec: ShreddingSpec): Int =
    if (spec.columns.size == 1) 0
    else
      throw refused(
        text,
        s"a JSON object from column to paths where there are ${spec.columns.size} Variant columns"
      )

  private def entries(text: String, spec: ShreddingSpec): Vector[(Int, String)] = {
    val tree = Try(new ObjectMapper().readTree(text)).toOption.filter(_.isObject)
    val columns = spec.columns.map(column => s"'${column.name}'").mkString(", ")
    def expected = s"a JSON object from Variant columns (there are $columns) to paths"
    tree.toVector.flatMap(_.properties().asScala.toVector).map { entry =>
      val column = spec.columns.indexWhere(_.name.equalsIgnoreCase(entry.getKey))
      if (column < 0 || !entry.getValue.isTextual) throw refused(text, expected)
      column -> (entry.getValue: JsonNode).asText
    } match {
      case Vector() => throw refused(text, expected)
      case found    => found
    }
  }

  private def refused(text: String, expected: String): VariantShreddedException =
    VariantShreddedErrors.invalidOption(WriteOptions.BloomFilter.name, text, expected)
}
