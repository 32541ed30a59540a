package io.github.variantshredded.read.demand

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.read.footer.{FileSchema, LeafChunks, ObservedChunks, VariantFinder}
import io.github.variantshredded.read.options.VariantRules
import io.github.variantshredded.shredding.layout.{VariantGroup, VariantLeaf}
import org.apache.spark.sql.types.StructType

/**
 * Describes what a scan reads of the Variants of a file.
 *
 * @param sources
 *   where the file has the Variant of each extraction
 * @param byPath
 *   the leaf columns that are read of each Variant group, by the path of the group
 */
private[read] final class VariantDemands(
    val sources: Seq[ExtractionSource],
    val byPath: Map[Seq[String], DemandedLeaves]
) {

  /** The paths of the leaf columns to fetch. */
  val leaves: Set[Seq[String]] = byPath.values.flatMap(_.leaves).map(pathOf).toSet

  /**
   * Returns the leaf columns that need not be fetched from a row group in which the leaf columns of
   * `allNull` are all null.
   */
  def skipped(allNull: Set[Seq[String]]): Set[Seq[String]] =
    byPath.values.flatMap(_.skipped(leaf => allNull(pathOf(leaf)))).map(pathOf).toSet

  private def pathOf(leaf: VariantLeaf): Seq[String] = leaf.descriptor.getPath.toIndexedSeq
}

private[read] object VariantDemands {

  /** Identifies a scan, and how it finds Variants, as a key of cached results. */
  private final case class Scan(
      extractedVariants: StructType,
      extractions: Seq[ScanExtraction],
      whole: Seq[Seq[String]],
      caseSensitive: Boolean,
      useFieldId: Boolean,
      rules: VariantRules
  ) extends FileSchema.Finding[VariantDemands]

  /**
   * Resolves the extractions of a scan in a file. The result is cached for other files with the
   * same schema unless it depends on the file's footer.
   *
   * @param extractedVariants
   *   the Variants that are extracted from, in the structs that hold them
   * @param wholeGroups
   *   the groups of which whole Variants are requested
   * @param rules
   *   if they are those of Spark's reader, it decodes the groups that break the rules of the
   *   specification; otherwise these are refused
   * @param checkStructs
   *   throws an error if the file has a column of another kind in the place of a struct; called with
   *   the structs of Variants that the file lacks
   */
  def of(
      extractedVariants: StructType,
      extractions: Seq[ScanExtraction],
      finder: VariantFinder,
      wholeGroups: Seq[VariantGroup],
      rules: VariantRules,
      chunks: LeafChunks,
      checkStructs: StructType => Unit
  ): VariantDemands = {
    val scan = Scan(
      extractedVariants,
      extractions,
      wholeGroups.map(_.parquetPath),
      finder.caseSensitive,
      finder.useFieldId,
      rules
    )
    finder.schema.find(scan).getOrElse {
      val observed = new ObservedChunks(chunks)
      val found = resolve(scan, finder, wholeGroups, observed, checkStructs)
      // A result that depends on the footer is valid for this file only.
      if (!observed.isUsed) finder.schema.keep(scan, found)
      found
    }
  }

  private def resolve(
      scan: Scan,
      finder: VariantFinder,
      wholeGroups: Seq[VariantGroup],
      chunks: LeafChunks,
      checkStructs: StructType => Unit
  ): VariantDemands = {
    val byColumn: Map[Seq[String], Found] = scan.extractions
      .map(_.column)
      .distinct
      .map { column =>
        val schema = finder.only(scan.extractedVariants, Seq(column))
        column -> find(finder, schema, scan.rules.asSpark)
      }
      .toMap
    val inStructs = byColumn.collect { case (column, Right(None)) if column.size > 1 => column }
    if (inStructs.nonEmpty) checkStructs(finder.only(scan.extractedVariants, inStructs.toSeq))
    val groups = byColumn.values.collect { case Right(Some(group)) => group }
    val demands = (wholeGroups ++ groups)
      .distinctBy(_.parquetPath)
      .map { group =>
        group.parquetPath -> new LeafDemand(group, scan.rules, chunks)
      }
      .toMap
    scan.whole.foreach(demands(_).whole())
    val sources = scan.extractions.map { extraction =>
      byColumn(extraction.column) match {
        case Left(Refused)      => ExtractionSource.LeftToSpark
        case Right(None)        => ExtractionSource.Missing
        case Right(Some(group)) =>
          val demand = demands(group.parquetPath)
          ExtractionSource.Shredded(group, demand.extraction(extraction.path, extraction.what))
      }
    }
    new VariantDemands(sources, demands.view.mapValues(_.result).toMap)
  }

  private[read] type Found = Either[Refused.type, Option[VariantGroup]]

  /** The file has a column, and its group breaks the rules. */
  private[read] case object Refused

  /**
   * Returns the group of the only Variant in `wanted`; None if the file does not have it.
   *
   * @param leavesToSpark
   *   whether a group that breaks the rules is [[Refused]] in place of an error
   */
  private[read] def find(finder: VariantFinder, wanted: StructType, leavesToSpark: Boolean): Found =
    try {
      val group = finder.placeholders(wanted).variants.values.headOption
      if (leavesToSpark && group.exists(_.root.hasOptionalGroup)) Left(Refused) else Right(group)
    } catch { case _: VariantShreddedException if leavesToSpark => Left(Refused) }
}
