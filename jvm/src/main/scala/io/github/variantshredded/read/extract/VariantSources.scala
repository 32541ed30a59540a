package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.PathExtraction
import io.github.variantshredded.read._
import io.github.variantshredded.shredding.layout.{VariantGroup, VariantLeaf}
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.types.StructType
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.VariantVal

/**
 * The Variants of one file that a scan reads whole, extracts from, or both: each is decoded once,
 * and only the leaves that are needed.
 *
 * @param place
 *   finds Variants in the file
 * @param wholeGroups
 *   the groups that are wanted whole
 */
private[read] final class VariantSources(
    extractedVariants: StructType,
    extractions: Seq[PathExtraction],
    place: StructType => VariantPlacement,
    wholeGroups: Seq[VariantGroup],
    caseSensitive: Boolean,
    settings: DecoderSettings,
    context: VariantContext,
    chunks: LeafChunks
) {

  /** The errors of the extractions of a batch. */
  val errors = new ErrorVector(settings.capacity)

  /** The group of each extraction; None where the file lacks the column. */
  val extractedGroups: Seq[Option[VariantGroup]] = {
    val found = extractions
      .map(_.column)
      .distinct
      .map { column =>
        column -> place(only(extractedVariants, column)).variants.values.headOption
      }
      .toMap
    extractions.map(e => found(e.column))
  }

  private val byPath: Map[Seq[String], VariantColumns] =
    (wholeGroups ++ extractedGroups.flatten)
      .groupBy(_.parquetPath)
      .map { case (path, groups) => path -> decode(groups.head) }

  val variants: Seq[VariantColumns] = byPath.values.toSeq

  val extracted: Array[OutputColumn] =
    if (extractions.isEmpty) Array.empty
    else {
      val columns = extractions.zip(extractedGroups).zipWithIndex.map {
        case ((extraction, Some(group)), index) =>
          val compiler = new ExtractionCompiler(byPath(group.parquetPath), settings, context)
          new ExtractedColumn(compiler.compile(extraction), index, errors)
        case ((extraction, None), index) =>
          new ExtractedColumn(constant(extraction), index, errors)
      }
      columns.toArray[OutputColumn] :+ new ConstantColumn(errors)
    }

  /** Paths of the leaves to fetch. */
  val leaves: Set[Seq[String]] = variants.flatMap(_.leaves).map(pathOf).toSet

  def whole(group: VariantGroup): OutputColumn =
    new WholeVariantColumn(byPath(group.parquetPath), context)

  /** The leaves that need not be fetched where `allNull` have nothing but nulls. */
  def skipped(allNull: Set[Seq[String]]): Set[Seq[String]] =
    variants.flatMap(_.skipped(leaf => allNull(pathOf(leaf)))).map(pathOf).toSet

  private def pathOf(leaf: VariantLeaf): Seq[String] = leaf.descriptor.getPath.toIndexedSeq

  private def decode(group: VariantGroup): VariantColumns = {
    val demand = new LeafDemand(group, context.strict, chunks)
    if (wholeGroups.exists(_.parquetPath == group.parquetPath)) demand.whole()
    extractions.zip(extractedGroups).foreach {
      case (extraction, Some(found)) if found.parquetPath == group.parquetPath =>
        demand.extraction(extraction.path, extraction.what)
      case _ => ()
    }
    new VariantColumns(
      demand.pruned,
      ShreddedNames.of(group),
      demand.needsMetadata,
      demand.needsPresence,
      demand.decodeAs,
      settings,
      context
    )
  }

  /** For a column that the file lacks: the same in every row. */
  private def constant(extraction: PathExtraction): ValueColumn = {
    val default = only(extractedVariants, extraction.column) match {
      case schema if extraction.column.size == 1 =>
        ResolveDefaultColumns.existenceDefaultValues(schema).head match {
          case variant: VariantVal => new Variant(variant.getValue, variant.getMetadata)
          case _                   => null
        }
      case _ => null
    }
    ExtractionCompiler.ofConstant(extraction, default, settings, context)
  }

  /** The part of `schema` that holds one Variant. */
  private def only(schema: StructType, column: Seq[String]): StructType =
    StructType(
      schema.fields
        .filter(f =>
          if (caseSensitive) f.name == column.head else f.name.equalsIgnoreCase(column.head)
        )
        .map { field =>
          field.dataType match {
            case inner: StructType => field.copy(dataType = only(inner, column.tail))
            case _                 => field
          }
        }
    )
}
