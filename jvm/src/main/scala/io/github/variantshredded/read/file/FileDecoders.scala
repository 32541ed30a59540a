package io.github.variantshredded.read.file

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.{
  ColumnDecoders,
  FileColumns,
  FileMetadataColumn,
  RequestedColumns
}
import io.github.variantshredded.read.decode.{ConstantColumn, DecoderSettings, OutputColumn}
import io.github.variantshredded.read.footer.{FooterChunks, LeafIndex}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.pages.{
  BoundedCodecFactory,
  ChunkCheck,
  ChunkFetcher,
  RowGroups
}
import io.github.variantshredded.read.skip.FileSkipping
import io.github.variantshredded.read.vector.NullVector
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.internal.LegacyBehaviorPolicy

/**
 * Makes the decoders of one file, its data skipping and its summary rows, as a plan asks for them.
 *
 * @param length
 *   bytes of the whole file
 * @param rowGroups
 *   the row groups of the split that is read
 */
private[file] final class FileDecoders(
    file: PartitionedFile,
    length: Long,
    rowGroups: RowGroups,
    conf: Configuration,
    codecs: BoundedCodecFactory,
    plan: ReadPlan,
    context: FileContext
) {
  import plan.unfetched

  private val decoding = DecoderSettings.of(rowGroups.metadata.getFileMetaData, plan.settings)
  private val bytes = rowGroups.bytes(length)
  private val chunks = new FooterChunks(rowGroups.indexes.map(rowGroups(_)))

  /** Decodes the columns of the result. */
  val output: BatchDecoder = {
    val metadata = unfetched.metadata.map(FileMetadataColumn(_, file, rowGroups.firstRow, decoding))
    val counts = unfetched.summary.toSeq.flatMap(_.countFields).map { field =>
      new ConstantColumn(NullVector(field.dataType))
    }
    decoder(resolved(plan.columns), (partitionColumns ++ metadata ++ counts).toArray)
  }

  private val (skippingOf, evaluatorOf) = plan.conjuncts.map { conjunct =>
    val columns = resolved(
      RequestedColumns(conjunct.columns, plan.columns.extractedVariants, conjunct.extractions)
    )
    val skipping =
      FileSkipping(conjunct, columns, rowGroups.schema, plan.settings.variants, decoding)
    skipping -> Option.unless(usesAll(conjunct)) {
      new ConjunctEvaluator(conjunct, () => decoder(columns, Array.empty))
    }
  }.unzip

  /** Skips row groups and pages by the predicates. */
  val skipping: DataSkipping =
    new DataSkipping(skippingOf.filterNot(_.isUseless), bytes, codecs, context.metrics)

  /** Evaluate the predicates for which late materialization can save anything. */
  val evaluators: Seq[ConjunctEvaluator] = evaluatorOf.flatten

  /**
   * Returns what makes the summary rows of the row groups; None if none are asked for, or if values
   * change when they are read.
   */
  def summaries: Option[RowGroupSummaries] =
    unfetched.summary
      .filter(_ => decoding.datetimeRebase.mode == LegacyBehaviorPolicy.CORRECTED)
      .map { summary =>
        new RowGroupSummaries(
          summary,
          plan.columns,
          resolved,
          new LeafIndex(rowGroups.schema, _),
          partitionColumns
        )
      }

  private def partitionColumns: Seq[ConstantColumn] =
    unfetched.partition.fields.toSeq.zipWithIndex.map { case (field, i) =>
      ConstantColumn.of(field.dataType, file.partitionValues, i)
    }

  private def resolved(asked: RequestedColumns): FileColumns =
    new FileColumns(rowGroups.schema, asked, conf, context, chunks)

  private def decoder(columns: FileColumns, unfetched: Array[OutputColumn]): BatchDecoder = {
    val leafIndex = new LeafIndex(rowGroups.schema, columns.leaves)
    val check = new ChunkCheck(rowGroups.schema.message, leafIndex, length, codecs)
    val skippedOf = Option.when(columns.demands.byPath.nonEmpty)(columns.skipped _)
    val ofColumns = decoding.ofLeaves(columns.leaves.size)
    new BatchDecoder(
      new ColumnDecoders(columns, ofColumns, context),
      unfetched,
      new ChunkFetcher(rowGroups, skippedOf, leafIndex, check, bytes, context.metrics),
      ofColumns.capacity
    )
  }

  /** Returns whether the output has no other columns than a predicate. */
  private def usesAll(conjunct: Conjunct): Boolean =
    plan.columns.data.forall { field =>
      conjunct.columns.exists(c => c.name == field.name && c.dataType == field.dataType)
    } &&
      plan.columns.extractions.forall(conjunct.extractions.contains)
}
