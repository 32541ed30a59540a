package io.github.variantshredded.write.file

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.{PathChoice, PathVerdict, ShreddingSpec}
import io.github.variantshredded.shredding.PathsText.PatternStep
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.VariantPath
import io.github.variantshredded.write.cluster.Clustering
import io.github.variantshredded.write.options.WriteOptions
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}

/**
 * Holds the paths that the options of a write name. A path that no row has is probably misspelt, so
 * the job warns of it.
 */
private[write] final case class OptionPaths(paths: Vector[OptionPaths.Asked]) {
  import OptionPaths._

  /**
   * Returns the indexes of the paths that the rows of a file have.
   *
   * @param footer
   *   the footer of the file
   * @param variants
   *   the Variants of the file
   * @param sorted
   *   indexes of the paths of [[Clustering.paths]] at which a row has a value
   */
  def usedIn(footer: ParquetMetadata, variants: Seq[WrittenVariant], sorted: Set[Int]): Set[Int] = {
    lazy val chunks = footer.getBlocks.asScala.flatMap(_.getColumns.asScala).filter(hasValues).toSeq
    paths.indices.filter { i =>
      val asked = paths(i)
      val variant = variants(asked.column)
      def hasBelow(path: Seq[String]): Boolean =
        chunks.exists(_.getPath.toArray.startsWith(variant.path ++ path))
      asked.use match {
        case SortedBy(index) => sorted(index)
        case Pinned          => hasBelow(group(asked.steps, variant.layout))
        case Filtered        =>
          BloomFilterPaths.leaf(variant.schema, variant.layout, asked.steps).exists(hasBelow)
      }
    }.toSet
  }

  /** Returns the warnings for the paths of which no file has a value. */
  def unused(used: Set[Int]): Seq[String] =
    paths.indices.filterNot(used).map(i => paths(i).warning)
}

private[write] object OptionPaths {

  val Nothing: OptionPaths = OptionPaths(Vector.empty)

  /** Identifies the option that names a path. */
  sealed trait Use

  /** Stands for `clusterBy`; `index` is the index in [[Clustering.paths]]. */
  final case class SortedBy(index: Int) extends Use
  case object Filtered extends Use
  case object Pinned extends Use

  /**
   * Holds a path of an option.
   *
   * @param column
   *   index of the Variant column in [[ShreddingSpec.columns]]
   */
  final case class Asked(use: Use, column: Int, name: String, steps: Vector[PatternStep]) {

    def warning: String = {
      val path = s"the path ${textOf(steps)} of the column $name"
      use match {
        case SortedBy(_) => s"Option '${WriteOptions.ClusterBy.name}': no row has $path"
        case Pinned      => s"Option '${WriteOptions.Pin.name}': no row has $path"
        case Filtered    =>
          s"Option '${WriteOptions.BloomFilter.name}': no file has a typed column with values for $path"
      }
    }
  }

  def apply(
      shredding: ShreddingSpec,
      bloomFilters: BloomFilterPaths,
      clustering: Clustering
  ): OptionPaths = {
    def asked(use: Use, column: Int, steps: Vector[PatternStep]) =
      Asked(use, column, shredding.columns(column).name, steps)
    val sorted = clustering.paths.zipWithIndex.map { case ((column, names), index) =>
      asked(SortedBy(index), column, names.map(PatternStep.Field(_)))
    }
    val filtered = for {
      (paths, column) <- bloomFilters.columns.zipWithIndex
      steps <- paths
    } yield asked(Filtered, column, steps)
    val pinned = for {
      (column, i) <- shredding.columns.zipWithIndex
      steps <- pins(column.choice.wanted, Vector.empty)
    } yield asked(Pinned, i, steps)
    OptionPaths(sorted ++ filtered ++ pinned)
  }

  private def pins(choice: PathChoice, at: Vector[PatternStep]): Vector[Vector[PatternStep]] =
    choice.verdict match {
      case PathVerdict.Pin(_) => Vector(at)
      case _                  =>
        val fields = choice.fields.toVector.sortBy(_._1).flatMap { case (name, field) =>
          pins(field, at :+ PatternStep.Field(name))
        }
        fields ++ choice.element.toVector.flatMap(pins(_, at :+ PatternStep.Element))
    }

  /** Returns the path of a position's group, relative to the group of the Variant. */
  private def group(steps: Vector[PatternStep], layout: Layout): Vector[String] = steps.flatMap {
    case PatternStep.Field(name) => Vector(layout.obj, name)
    case PatternStep.Element     => Vector(layout.array, "list", "element")
  }

  private def hasValues(chunk: ColumnChunkMetaData): Boolean = {
    val statistics: Statistics[_] = chunk.getStatistics
    statistics == null || !statistics.isNumNullsSet ||
    statistics.getNumNulls < chunk.getValueCount
  }

  private def textOf(steps: Vector[PatternStep]): String = steps.foldLeft(VariantPath.Root) {
    case (path, PatternStep.Field(name)) => VariantPath.optionField(path, name)
    case (path, PatternStep.Element)     => VariantPath.elements(path)
  }
}
