package io.github.variantshredded.read.decode

import java.time.ZoneId

import scala.util.control.NonFatal

import io.github.variantshredded.read.options.ReadSettings
import org.apache.parquet.VersionParser
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.{ParquetColumn, VectorizedColumnReader}
import org.apache.spark.sql.execution.vectorized.{
  OffHeapColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types._

/**
 * Creates the vectors and Spark's decoders for the columns of one file.
 *
 * @param convertTz
 *   the time zone from which INT96 timestamps are converted; null if they are not
 * @param datetimeRebase
 *   how dates and timestamps of ordinary columns are rebased
 * @param int96Rebase
 *   how INT96 timestamps are rebased
 * @param writerVersion
 *   the writer of the file, as the footer names it
 * @param capacity
 *   maximum number of rows in a batch
 * @param offHeap
 *   whether vectors are allocated off the heap
 * @param asSpark
 *   whether Variants have the values that Spark's Parquet reader gives them
 */
private[read] final class DecoderSettings(
    val convertTz: ZoneId,
    val datetimeRebase: RebaseSpec,
    val int96Rebase: RebaseSpec,
    val writerVersion: ParsedVersion,
    val capacity: Int,
    val offHeap: Boolean,
    asSpark: Boolean
) {

  /**
   * Returns the settings with which so many leaf columns are decoded. Many columns get smaller
   * batches, because each column has a vector with a slot for each row of a batch.
   */
  def ofLeaves(count: Int): DecoderSettings = {
    val fitting = DecoderSettings.MaxSlots / math.max(1, count)
    val rows = math.min(capacity, math.max(DecoderSettings.LeastRows, fitting))
    new DecoderSettings(
      convertTz,
      datetimeRebase,
      int96Rebase,
      writerVersion,
      rows,
      offHeap,
      asSpark
    )
  }

  def newVector(dataType: DataType): WritableColumnVector =
    if (offHeap) new OffHeapColumnVector(capacity, dataType)
    else new OnHeapColumnVector(capacity, dataType)

  /**
   * Creates the decoder of a leaf column that is not part of a Variant.
   *
   * @param dataType
   *   the type of its vector
   */
  def decoder(
      column: ParquetColumn,
      dataType: DataType,
      pages: PageReadStore
  ): VectorizedColumnReader = {
    val decoding = OrdinaryDecoding.of(column.descriptor.get, dataType, pages)
    decoder(decoding.descriptor, column.required, decoding.pages, datetimeRebase.mode)
  }

  /**
   * Returns how dates in Variants are rebased. The specification knows only the proleptic Gregorian
   * calendar, so they are rebased only if the file itself says that it was written with the legacy
   * calendar. Spark's reader treats them like those of ordinary columns.
   */
  def variantRebaseMode: LegacyBehaviorPolicy.Value =
    if (asSpark || datetimeRebase.mode == LegacyBehaviorPolicy.LEGACY) datetimeRebase.mode
    else LegacyBehaviorPolicy.CORRECTED

  /** Creates the decoder of a leaf column of a Variant. */
  def variantDecoder(
      descriptor: ColumnDescriptor,
      required: Boolean,
      pages: PageReadStore
  ): VectorizedColumnReader =
    decoder(
      descriptor,
      required,
      pages,
      variantRebaseMode
    )

  private def decoder(
      descriptor: ColumnDescriptor,
      required: Boolean,
      pages: PageReadStore,
      rebaseMode: LegacyBehaviorPolicy.Value
  ) =
    new VectorizedColumnReader(
      descriptor,
      required,
      pages,
      convertTz,
      rebaseMode.toString,
      datetimeRebase.timeZone,
      int96Rebase.mode.toString,
      int96Rebase.timeZone,
      writerVersion
    )
}

private[read] object DecoderSettings {

  /** The maximum number of slots in all vectors; each takes up to some 50 bytes. */
  private final val MaxSlots = 2 << 20

  /** The number of rows that a batch may have with any number of columns. */
  private final val LeastRows = 256

  /** Returns the settings for a file, by its footer. */
  def of(fileMetadata: FileMetaData, settings: ReadSettings): DecoderSettings = {
    import settings.{datetimes, vectors}
    val lookup = (key: String) => fileMetadata.getKeyValueMetaData.get(key)
    val datetime = DataSourceUtils.datetimeRebaseSpec(lookup, datetimes.rebaseMode.toString)
    val int96 = DataSourceUtils.int96RebaseSpec(lookup, datetimes.int96RebaseMode.toString)
    val createdBy = Option(fileMetadata.getCreatedBy)
    // As in Spark, INT96 timestamps of other writers are converted if the session says so.
    val convertTz: ZoneId = datetimes.int96TimeZone
      .filterNot(_ => createdBy.exists(_.startsWith("parquet-mr")))
      .map(DateTimeUtils.getZoneId)
      .orNull
    val writerVersion = createdBy.map { text =>
      // If the version is unknown, the decoder only assumes that the writer has an old bug.
      try VersionParser.parse(text)
      catch { case NonFatal(_) => null }
    }.orNull
    new DecoderSettings(
      convertTz,
      datetime,
      int96,
      writerVersion,
      vectors.rows,
      vectors.offHeap,
      settings.variants.asSpark
    )
  }
}
