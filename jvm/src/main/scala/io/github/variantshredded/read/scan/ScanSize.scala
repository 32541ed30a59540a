package io.github.variantshredded.read.scan

import io.github.variantshredded.read.options.{ReaderConf, ReadOptions, ReadSettings}
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.connector.read.Statistics

/** Estimates the size of the result of a scan: from footers, or else from types of columns. */
private[scan] final class ScanSize(scan: VariantScan) {
  import scan.{conf, fileIndex, footers, options, readDataSchema, selectedFiles}
  import scan.pushed.extractions

  /** Returns the size as Spark's statistics. */
  def statistics: Statistics =
    byFooters.fold(byTypes)(_.statistics(conf.fileCompressionFactor))

  /** Returns an estimate from the footers of some files, if the session allows to read footers. */
  private def byFooters: Option[ScanEstimate] = {
    val maxFooters = ReadOptions.setting(ReadOptions.PlanningFooters, conf)
    if (maxFooters == 0) None
    else {
      footers.estimate((readDataSchema, extractions, scan.partitionFilters, scan.dataFilters)) {
        val selected = selectedFiles.flatMap(_.files).map(_.fileStatus).filter(_.getLen > 0)
        if (selected.isEmpty) Some(ScanEstimate(0, 0))
        else Estimated(bySample(selected, maxFooters)).flatten
      }
    }
  }

  private def bySample(selected: Seq[FileStatus], maxFooters: Int): Option[ScanEstimate] = {
    val readSettings = ReadSettings(options, conf)
    val hadoopConf = ReaderConf(scan.sparkSession, options, readDataSchema)
    ScanEstimate.of(
      footers.sample(selected, maxFooters, hadoopConf),
      selected.map(_.getLen).sum,
      scan.requested(extractions, readSettings),
      readSettings.variants,
      hadoopConf
    )
  }

  /**
   * Returns an estimate from the sizes of the files that partition pruning kept, scaled by the
   * share of the columns that are read.
   */
  private def byTypes: Statistics = {
    val bytes = selectedFiles.flatMap(_.files).map(_.getLen).sum
    val allColumns = scan.dataSchema.defaultSize + fileIndex.partitionSchema.defaultSize
    val readColumns = readDataSchema.defaultSize + scan.readPartitionSchema.defaultSize +
      extractions.map(_.what.dataType.defaultSize).sum
    val share = if (allColumns == 0) 1.0 else math.min(1.0, readColumns.toDouble / allColumns)
    ScanEstimate.statistics(conf.fileCompressionFactor * bytes * share, None)
  }
}
