package io.github.variantshredded.write.file

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.{
  ColumnPaths,
  ColumnShredding,
  PathsText,
  ShreddedType,
  ShreddingSchema,
  ShreddingSpec,
  VariantColumn
}
import io.github.variantshredded.shredding.PathsText.PatternStep
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.options.WriteOptions

/**
 * Holds the paths that get bloom filters in every file in which they have a typed column.
 *
 * @param columns
 *   the paths of each Variant column, in the order of [[ShreddingSpec.columns]]
 */
private[write] final case class BloomFilterPaths(columns: Vector[Vector[Vector[PatternStep]]])

private[write] object BloomFilterPaths {

  /**
   * Parses the option `bloomFilter`: paths such as `$.did, $.tags[*]` of the only Variant column,
   * or a JSON object from columns to such paths.
   *
   * @param caseSensitive
   *   whether column names are case-sensitive
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if it does not have the form of [[ColumnPaths]], or if a
   *   path has no typed column in the schema that is given for its column
   */
  def parse(
      option: Option[String],
      spec: ShreddingSpec,
      caseSensitive: Boolean
  ): BloomFilterPaths = {
    val none = spec.columns.map(_ => Vector.empty[Vector[PatternStep]])
    option.filter(_.trim.nonEmpty).fold(BloomFilterPaths(none)) { text =>
      val byColumn = ColumnPaths.parse(WriteOptions.BloomFilter.name, text, spec, caseSensitive)
      byColumn.foreach { case (column, paths) => checkTyped(paths, text, spec.columns(column)) }
      BloomFilterPaths(byColumn.foldLeft(none) { case (found, (column, paths)) =>
        found.updated(column, paths.map(_.steps))
      })
    }
  }

  /**
   * Returns the typed column of a path, or of the elements of an array at the path; None if there is
   * none. The column is a path relative to the Variant's group.
   */
  def leaf(
      schema: ShreddingSchema,
      layout: Layout,
      path: Vector[PatternStep]
  ): Option[Vector[String]] =
    (schema, path) match {
      case (ObjectOf(fields), PatternStep.Field(name) +: rest) =>
        fields.collectFirst { case (`name`, field) => field }.flatMap { field =>
          leaf(field, layout, rest).map(Vector(layout.obj, name) ++ _)
        }
      case (ArrayOf(element), PatternStep.Element +: rest) => inElements(element, layout, rest)
      case (ArrayOf(element), Vector())                    => inElements(element, layout, path)
      // A filter for two values would exclude nothing, and Parquet has none.
      case (Primitive(shreddedType), Vector()) if shreddedType != ShreddedType.BooleanType =>
        Some(Vector(layout.primitive))
      case _ => None
    }

  private def inElements(
      element: ShreddingSchema,
      layout: Layout,
      path: Vector[PatternStep]
  ): Option[Vector[String]] =
    leaf(element, layout, path).map(Vector(layout.array, "list", "element") ++ _)

  private def checkTyped(
      paths: Vector[PathsText.Entry],
      text: String,
      column: VariantColumn
  ): Unit = column.shredding match {
    case ColumnShredding.Given(schema) =>
      paths.find(entry => leaf(schema, Layout.Spec, entry.steps).isEmpty).foreach { entry =>
        throw refused(
          text,
          s"paths with a typed column; '${entry.text}' has none in '${column.name}'"
        )
      }
    case ColumnShredding.Infer => ()
  }

  private def refused(text: String, expected: String): VariantShreddedException =
    VariantShreddedErrors.invalidOption(WriteOptions.BloomFilter.name, text, expected)
}
