package io.github.variantshredded.read.columns

import io.github.variantshredded.read.decode.{
  AssembledColumn,
  BatchDecoding,
  ConstantColumn,
  DecoderSettings,
  OutputColumn,
  RepeatedValue
}
import io.github.variantshredded.read.extract.VariantDecoders
import io.github.variantshredded.read.options.FileContext
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.VariantType
import org.apache.spark.unsafe.types.VariantVal

/**
 * Holds the decoders of the columns and extractions that a scan reads from one file.
 *
 * @param columns
 *   describes them
 */
private[read] final class ColumnDecoders(
    val columns: FileColumns,
    settings: DecoderSettings,
    context: FileContext
) {
  private val decoders = new VariantDecoders(
    columns.demands,
    columns.asked.extractions,
    columns.extractionDefaults,
    columns.spark.decoders(settings),
    settings,
    context
  )

  /** One column per requested field. */
  val ofColumns: Array[OutputColumn] = columns.resolved.map(decoder).toArray

  /** Returns one column per extraction, followed by the column of their errors. */
  def ofExtractions: Array[OutputColumn] = decoders.extracted

  /** Returns the Variant columns that must be decoded before the columns of the batch. */
  def ofVariants: Seq[BatchDecoding] = decoders.variants

  /** Starts a batch. Must be called before the columns are read. */
  def startBatch(): Unit = decoders.startBatch()

  private def decoder(resolved: ResolvedColumn): OutputColumn = resolved match {
    case ResolvedColumn.Ordinary(column, batchType, default) =>
      new AssembledColumn(
        column,
        batchType,
        columns.missing,
        default,
        isTopLevel = true,
        settings,
        _ => false
      )
    case ResolvedColumn.MissingColumn(dataType, default) =>
      new ConstantColumn(RepeatedValue.vector(dataType, default, settings))
    case ResolvedColumn.WholeVariant(group)     => decoders.whole(group)
    case ResolvedColumn.MissingVariant(default) => constantVariant(default)
    case nested: ResolvedColumn.NestedVariants  =>
      new NestedVariantColumn(nested, columns.missing, settings, context)
  }

  private def constantVariant(default: Any): OutputColumn = {
    val vector = new ConstantColumnVector(settings.capacity, VariantType)
    default match {
      case variant: VariantVal => vector.setVariant(variant)
      case _                   => vector.setNull()
    }
    new ConstantColumn(vector)
  }
}
