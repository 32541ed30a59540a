package io.github.variantshredded.read.file

import io.github.variantshredded.read.footer.FileErrors
import io.github.variantshredded.read.options.{FileContext, ReadMetrics}
import io.github.variantshredded.read.pages.{BoundedCodecFactory, RowGroups, RowSelection}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Reads the row groups of one split of a file as column batches.
 *
 * A batch is valid until the next one is requested, because its vectors are reused and its Variants
 * are rebuilt from them on demand.
 *
 * @param status
 *   what is known about the file
 */
private[read] final class VariantFileReader(
    file: PartitionedFile,
    status: FileStatus,
    conf: Configuration,
    plan: ReadPlan,
    metrics: ReadMetrics
) extends PartitionReader[ColumnarBatch] {
  import plan.settings

  private val context = new FileContext(settings.variants, metrics, file.toPath.toString)

  private val codecs = new BoundedCodecFactory(new CodecFactory(conf, 0))
  private val rowGroups = guard(
    RowGroups.open(
      file,
      status,
      conf,
      codecs,
      plan.overlay.columnNames,
      verifiesChecksums = settings.verifiesChecksums
    )
  )
  private val liveRows = closingAtError(plan.overlay.liveRows.flatMap(_.of(file, conf)))
  private val decoders = closingAtError(
    new FileDecoders(file, status.getLen, rowGroups, conf, codecs, plan, context)
  )
  private val output = decoders.output
  private val resultRows = new ResultRows(
    decoders.skipping,
    decoders.evaluators,
    output,
    settings.lateMaterializationMinBytes.toLong,
    rowGroups,
    metrics
  )
  private val summaries =
    if (liveRows.nonEmpty) None
    else
      closingAtError(
        decoders.summaries,
        also = {
          resultRows.close()
          output.close()
        }
      )

  private var nextRowGroup = 0
  // Whether the file has been counted as read or as skipped.
  private var isCounted = false
  private var rowsWanted = plan.limit.fold(Long.MaxValue)(_.toLong)

  // The summary rows that are returned next; None if there are none.
  private var summaryRows = Option.empty[ColumnarBatch]
  // Whether they are what `get` returns.
  private var returnsSummary = false

  // The rows of the row group that are returned, if all of its rows are decoded and some are not
  // live; null otherwise.
  private var returned: RowSelection = _

  override def next(): Boolean = {
    output.clear()
    guard {
      var found = false
      returnsSummary = false
      while (!found && startRows()) {
        returnsSummary = summaryRows.nonEmpty
        found = returnsSummary || readBatch()
      }
      if (!found) countSkipped()
      if (found && !returnsSummary && settings.tolerated.corrupt) BatchCheck(output.batch)
      found
    }
  }

  /** Moves to the next rows that are decoded. Returns false at the end. */
  private def startRows(): Boolean = {
    summaryRows = None
    while (!hasRows && mayHaveMore) startRowGroup()
    hasRows
  }

  /** Returns whether a row group has rows, or summary rows that stand for them. */
  private def hasRows: Boolean = summaryRows.nonEmpty || output.rowsLeft > 0

  private def mayHaveMore: Boolean = rowsWanted > 0 && nextRowGroup < rowGroups.indexes.length

  /** Decodes the next batch. Returns false if its rows are not live. */
  private def readBatch(): Boolean =
    if (returned == null) {
      output.readBatch()
      true
    } else {
      val row = rowGroups(rowGroups.indexes(nextRowGroup - 1)).getRowCount - output.rowsLeft
      val isLive = returned.overlaps(row, row + 1)
      output.readBatch(returned.nextChange(row) - row)
      if (!isLive) output.clear()
      isLive
    }

  /**
   * Returns whether anything was read of the file; false if everything came from a cached footer.
   */
  def hasRead: Boolean = rowGroups.hasRead

  override def get(): ColumnarBatch =
    summaryRows.filter(_ => returnsSummary).getOrElse(output.batch)

  override def close(): Unit = {
    summaries.foreach(_.close())
    resultRows.close()
    output.close()
    rowGroups.close()
  }

  private def startRowGroup(): Unit = {
    val index = rowGroups.indexes(nextRowGroup)
    val block = rowGroups(index)
    context.rowGroup = index
    nextRowGroup += 1
    output.startRowGroup(index)
    returned = null
    if (block.getRowCount > 0) {
      summaryRows = summaries.flatMap(_.of(block))
      if (summaryRows.isEmpty) selectRows(index, block)
      else metrics.rowGroupsSummarized += 1
    }
    if (rowGroups.isRemote && rowsWanted == Long.MaxValue && summaries.isEmpty) prepareNext()
  }

  private def selectRows(index: Int, block: BlockMetaData): Unit = {
    lazy val liveRows = liveRowsOf(index)
    val selected = resultRows.select(index, block, liveRows)
    if (!output.canSelect && !selected.isEmpty && liveRows.size < block.getRowCount)
      returned = liveRows
    val rows = if (output.canSelect) selected.take(rowsWanted) else selected
    rowsWanted -= (if (returned == null) rows.size else liveRows.size)
    if (!rows.isEmpty) {
      output.startRows(rows)
      metrics.rowGroupsRead += 1
      if (!isCounted) metrics.filesRead += 1
      isCounted = true
    }
  }

  /** Lets the bytes of the next row group arrive while this one is decoded. */
  private def prepareNext(): Unit =
    rowGroups.indexes.lift(nextRowGroup).filter(rowGroups(_).getRowCount > 0).foreach { index =>
      resultRows.prepare(index, rowGroups(index), liveRowsOf(index))
    }

  private def liveRowsOf(index: Int): RowSelection = {
    val count = rowGroups(index).getRowCount
    liveRows.fold(RowSelection.all(count))(LiveRows.select(_, rowGroups.firstRow(index), count))
  }

  /** Counts a file as skipped, at its end, if it has rows but none was read. */
  private def countSkipped(): Unit = {
    if (!isCounted && rowGroups.indexes.exists(rowGroups(_).getRowCount > 0))
      metrics.filesSkipped += 1
    isCounted = true
  }

  private def guard[T](body: => T): T =
    FileErrors.guard(context.here, context.asSpark)(body)

  private def closingAtError[T](body: => T, also: => Unit = ()): T =
    try guard(body)
    catch {
      case e: Throwable =>
        also
        rowGroups.close()
        throw e
    }
}
