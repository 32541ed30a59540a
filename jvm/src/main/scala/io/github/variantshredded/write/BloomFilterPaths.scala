package io.github.variantshredded.write

import io.github.variantshredded.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.{
  ColumnShredding,
  ShreddedType,
  ShreddingSchema,
  ShreddingSpec,
  VariantColumn
}
import io.github.variantshredded.shredding.ShreddingSchema._

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
      val byColumn = FieldPaths.parse(WriteOptions.BloomFilter.name, text, spec)
      byColumn.foreach { case (column, paths) =>
        checkTyped(paths, text, spec.columns(column))
      }
      BloomFilterPaths(byColumn.foldLeft(none) { case (found, (column, paths)) =>
        found.updated(column, paths)
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

  private def checkTyped(
      paths: Vector[Vector[String]],
      text: String,
      column: VariantColumn
  ): Unit = column.shredding match {
    case ColumnShredding.Given(schema) =>
      paths.find(leaf(schema, _).isEmpty).foreach { path =>
        throw refused(
          text,
          s"paths with a typed column; '${path.mkString("$.", ".", "")}' has none in '${column.name}'"
        )
      }
    case ColumnShredding.Infer => ()
  }

  private def refused(text: String, expected: String): VariantShreddedException =
    VariantShreddedErrors.invalidOption(WriteOptions.BloomFilter.name, text, expected)
}
