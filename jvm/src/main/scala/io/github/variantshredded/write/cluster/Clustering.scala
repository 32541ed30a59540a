package io.github.variantshredded.write.cluster

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.shredding.{ColumnPaths, PathsText, ShreddingSpec}
import io.github.variantshredded.shredding.PathsText.Step
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * In which order the rows of a file are written, where it is not the one in which they come.
 *
 * @param paths
 *   rows are sorted by the values there, by the first path first: the place of the Variant's column in
 *   [[ShreddingSpec.columns]], and names of fields
 * @param byShape
 *   whether rows that have the same fields, of those with the same values at `paths`, are brought
 *   together
 * @param bytes
 *   size of the rows that are held and sorted at a time; none: half of a row group
 */
private[write] final case class Clustering(
    paths: Vector[(Int, Vector[String])],
    byShape: Boolean,
    bytes: Option[Long]
) {

  /** Whether rows are held at all. */
  def isOn: Boolean = byShape || paths.nonEmpty
}

private[write] object Clustering {

  /** Rows stay in their order. */
  val Off: Clustering = Clustering(Vector.empty, byShape = false, None)

  /** What holds if no size is given: this part of a row group's size. */
  final val RowGroupShare = 0.5

  /**
   * Reads the options `clustering`, `clusterBy` and `clusterBytes`.
   *
   * @param caseSensitive
   *   whether column names are compared as they are
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if `clusterBy` is not of the form of [[ColumnPaths]], has a
   *   path into an array, or names a column of which a row can have several Variants
   */
  def apply(
      options: CaseInsensitiveStringMap,
      spec: ShreddingSpec,
      caseSensitive: Boolean
  ): Clustering = {
    val text = WriteOptions.ClusterBy.get(options).filter(_.trim.nonEmpty)
    Clustering(
      text.toVector.flatMap(pathsOf(_, spec, caseSensitive)),
      WriteOptions.Clustering.get(options).contains(WriteOptions.ByShape),
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
      case Step.Field(name) => name
      case Step.Element     =>
        throw refused(s"paths of one value a row, which '${entry.text}' is not")
    }
    val byColumn = ColumnPaths.parse(option, text, spec, caseSensitive)
    byColumn.map { case (column, _) => spec.columns(column) }.find(_.repeated).foreach { column =>
      throw refused(s"columns with one Variant a row, which '${column.name}' is not")
    }
    byColumn.flatMap { case (column, entries) => entries.map(column -> fields(_)) }
  }
}
