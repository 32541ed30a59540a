package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.read.decode.{ConstantColumn, DecoderSettings, OutputColumn}
import io.github.variantshredded.read.demand.VariantDemands
import io.github.variantshredded.read.footer.{LeafChunks, VariantFinder}
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.shredding.layout.{VariantGroup, VariantLeaf}
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.types.StructType
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.VariantVal

/**
 * Holds the Variants of one file that a scan reads whole, extracts from, or both. Each Variant
 * column is decoded once, and only the leaf columns that are needed.
 *
 * @param wholeGroups
 *   the groups of which whole Variants are requested
 * @param chunks
 *   sizes and null counts of the leaf columns in the row groups that are read
 */
private[read] final class VariantSources(
    extractedVariants: StructType,
    extractions: Seq[ScanExtraction],
    finder: VariantFinder,
    wholeGroups: Seq[VariantGroup],
    settings: DecoderSettings,
    context: VariantContext,
    chunks: LeafChunks
) {

  /** The errors of the extractions of a batch. */
  lazy val errors = new ErrorVector(settings.capacity)

  private val demands =
    VariantDemands.of(extractedVariants, extractions, finder, wholeGroups, context.strict, chunks)

  /** Returns the group of each extraction; None if the file does not have the column. */
  def extractedGroups: Seq[Option[VariantGroup]] = demands.groups

  // Lazy, because vectors are needed only for decoding.
  private lazy val byPath: Map[Seq[String], VariantColumns] = demands.byPath.map {
    case (path, demand) =>
      path -> new VariantColumns(demand, settings, context)
  }

  lazy val variants: Seq[VariantColumns] = byPath.values.toSeq

  lazy val extracted: Array[OutputColumn] =
    if (extractions.isEmpty) Array.empty
    else {
      val columns = extractions.indices.map { index =>
        val extraction = extractions(index)
        val compiled = extractedGroups(index).zip(demands.views(index)).map { case (group, view) =>
          new ExtractionCompiler(byPath(group.parquetPath), view, settings, context)
            .compile(extraction)
        }
        new ExtractedColumn(compiled.getOrElse(constant(extraction)), index, errors): OutputColumn
      }
      columns.toArray :+ new ConstantColumn(errors)
    }

  /** The paths of the leaf columns to fetch. */
  lazy val leaves: Set[Seq[String]] = variants.flatMap(_.leaves).map(pathOf).toSet

  def whole(group: VariantGroup): OutputColumn =
    new WholeVariantColumn(byPath(group.parquetPath), context)

  /**
   * Returns the leaf columns that need not be fetched from a row group in which the leaf columns of
   * `allNull` are all null.
   */
  def skipped(allNull: Set[Seq[String]]): Set[Seq[String]] =
    variants.flatMap(_.skipped(leaf => allNull(pathOf(leaf)))).map(pathOf).toSet

  private def pathOf(leaf: VariantLeaf): Seq[String] = leaf.descriptor.getPath.toIndexedSeq

  /**
   * Returns the column of an extraction from a column that the file does not have: the default
   * value of the column, or SQL NULL, in every row.
   */
  private def constant(extraction: ScanExtraction): ValueColumn = {
    val default = finder.only(extractedVariants, Seq(extraction.column)) match {
      case schema if extraction.column.size == 1 =>
        ResolveDefaultColumns.existenceDefaultValues(schema).head match {
          case variant: VariantVal => new Variant(variant.getValue, variant.getMetadata)
          case _                   => null
        }
      case _ => null
    }
    ExtractionCompiler.ofConstant(extraction, default, settings, context)
  }
}
