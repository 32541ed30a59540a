package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.read.decode.{
  BatchDecoding,
  ConstantColumn,
  DecoderSettings,
  OutputColumn
}
import io.github.variantshredded.read.demand.{ExtractionSource, VariantDemands}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.position.BinaryVariants
import io.github.variantshredded.read.vector.ErrorVector
import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.spark.types.variant.Variant

/**
 * Decodes the Variants of one file that a scan reads whole, extracts from, or both. Each Variant
 * column is decoded once, and only the leaf columns that are needed.
 *
 * @param defaults
 *   for each extraction, the Variant to extract from if the file does not have the column; null for
 *   SQL NULL
 * @param spark
 *   the Variants that Spark's reader decodes
 */
private[read] final class VariantDecoders(
    demands: VariantDemands,
    extractions: Seq[ScanExtraction],
    defaults: Seq[Variant],
    spark: AssembledVariants,
    settings: DecoderSettings,
    context: FileContext
) {

  private val byPath: Map[Seq[String], VariantGroupDecoder] = demands.byPath.map {
    case (path, demand) =>
      path -> new VariantGroupDecoder(demand, settings, context)
  }

  private val errors = new ErrorVector(settings.capacity)

  /** The decoded Variants. They must be decoded before the columns of the batch. */
  val variants: Seq[BatchDecoding] = byPath.values.toSeq ++ spark.columns

  /** One column per extraction, followed by the column of their errors. */
  val extracted: Array[OutputColumn] =
    if (extractions.isEmpty) Array.empty
    else {
      val columns = extractions.indices.map { index =>
        val extraction = extractions(index)
        val compiled = demands.sources(index) match {
          case ExtractionSource.Shredded(group, view) =>
            new ExtractionCompiler(byPath(group.parquetPath), view, settings, context)
              .compile(extraction)
          case ExtractionSource.LeftToSpark =>
            val variants = spark.of(extraction.column, context)
            ExtractionCompiler.ofBinary(extraction, variants, settings, context)
          case ExtractionSource.Missing =>
            val variants = new BinaryVariants.Constant(defaults(index), context)
            ExtractionCompiler.ofBinary(extraction, variants, settings, context)
        }
        new ExtractionOutput(compiled, index, errors): OutputColumn
      }
      columns.toArray :+ new ConstantColumn(errors)
    }

  /** Returns the whole Variants of a group. */
  def whole(group: VariantGroup): OutputColumn =
    new WholeVariantColumn(byPath(group.parquetPath), context)

  /** Starts a batch. Must be called before the columns are read. */
  def startBatch(): Unit = errors.startBatch()
}
