package io.github.variantshredded.write.cluster

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.shredding.{ColumnPaths, PathsText, ShreddingSpec}
import io.github.variantshredded.shredding.PathsText.PatternStep
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Describes the order in which the rows of a file are written.
 *
 * @param paths
 *   rows are sorted by the values at these paths, by the first path first. A path is the index of
 *   the Variant column in [[ShreddingSpec.columns]], and names of fields
 * @param byShape
 *   whether rows with the same fields are written together, among those with the same values at
 *   `paths`
 * @param bytes
 *   size of the row buffer; None for half of a row group
 */
private[write] final case class Clustering(
    paths: Vector[(Int, Vector[String])],
    byShape: Boolean,
    bytes: Option[Long]
) {

  /** Returns whether rows are buffered and sorted. */
  def isOn: Boolean = byShape || paths.nonEmpty
}

private[write] object Clustering {

  /** Default size of the row buffer, as a part of the size of a row group. */
  final val RowGroupShare = 0.5

  /**
   * Parses the options `clustering`, `clusterBy` and `clusterBytes`.
   *
   * @param caseSensitive
   *   whether column names are case-sensitive
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if `clusterBy` does not have the form of [[ColumnPaths]],
   *   has a path into an array, or names a column of which a row can have several Variants
   */
  def apply(
      options: CaseInsensitiveStringMap,
      spec: ShreddingSpec,
      caseSensitive: Boolean
  ): Clustering = {
    val text = WriteOptions.ClusterBy.get(options).filter(_.trim.nonEmpty)
    Clustering(
      text.toVector.flatMap(pathsOf(_, spec, caseSensitive)),
      WriteOptions.Clustering.of(options) == WriteOptions.ByShape,
      WriteOptions.ClusterBytes.get(options)
    )
  }

  private def pathsOf(
      text: String,
      spec: ShreddingSpec,
      caseSensitive: Boolean
  ): Vector[(Int, Vector[String])] = {
    val option = WriteOptions.ClusterBy.name
    def refused(expected: String) = VariantShreddedErrors.invalidOption(option, text, expected)
    def fields(entry: PathsText.Entry) = entry.steps.map {
      case PatternStep.Field(name) => name
      case PatternStep.Element     =>
        throw refused(s"paths with one value per row, which '${entry.text}' is not")
    }
    val byColumn = ColumnPaths.parse(option, text, spec, caseSensitive)
    byColumn.map { case (column, _) => spec.columns(column) }.find(_.repeated).foreach { column =>
      throw refused(s"columns with one Variant per row, which '${column.name}' is not")
    }
    byColumn.flatMap { case (column, entries) => entries.map(column -> fields(_)) }
  }
}
