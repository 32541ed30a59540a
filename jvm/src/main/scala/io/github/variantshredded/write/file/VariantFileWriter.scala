package io.github.variantshredded.write.file

import java.util.HashMap

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.column.{EachStep, ParquetSettings, RowGroupMemory}
import io.github.variantshredded.write.shred.{ShredderSettings, VariantColumnWriter}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.{
  CodecFactory,
  ParquetFileWriter,
  ParquetOutputFormat,
  ParquetWriter
}
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetWriteSupport}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType

/**
 * Writes Spark's rows to one Parquet file with their Variants shredded, everything else by Spark's own
 * writer.
 *
 * A row group ends when it holds `parquet.block.size` bytes in memory, pages compressed. Not every row
 * is measured: the next look is due when the rows since then have brought half of the bytes that are
 * left, however different they are in size, or half of the rows that were left if all were alike.
 *
 * @param schema
 *   schema of the rows
 * @param schemas
 *   how each Variant is shredded, in the order of
 *   [[io.github.variantshredded.shredding.ShreddingSpec.columns]]
 * @param layout
 *   in which the Variants are laid out
 * @param bloomFilters
 *   the paths that get bloom filters, beside the columns that `parquet.bloom.filter.enabled` names
 */
private[write] final class VariantFileWriter(
    path: Path,
    schema: StructType,
    schemas: Seq[ShreddingSchema],
    layout: Layout,
    bloomFilters: BloomFilterPaths,
    codec: CompressionCodecName,
    configuration: Configuration,
    memory: RowGroupMemory = RowGroupMemory.Shared
) {
  private val settings = ParquetSettings(configuration)
  private val limits = settings.properties
  private val support = new ParquetWriteSupport
  private lazy val toUnsafe = UnsafeProjection.create(schema)

  private val shredding = ShredderSettings(
    legacyCalendar =
      SQLConf.get.getConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE) == LegacyBehaviorPolicy.LEGACY,
    layout = layout
  )
  private val (placed, context) = init()
  private val codecs = new CodecFactory(configuration, limits.getPageSizeThreshold)
  private val compressor: BytesInputCompressor = codecs.getCompressor(codec)
  private val output = new FooterOrder(HadoopOutputFile.fromPath(path, configuration))
  private val file = open()
  private val share = memory.acquire(settings)

  // The Variants that are columns of the table are taken from the row; the rest of it, if there is
  // any, in which they are nulls, goes to Spark's writer.
  private val directOrdinals: Array[Int] =
    if (settings.validates) Array.emptyIntArray
    else schema.indices.filter(i => placed.isColumn(schema(i).name)).toArray
  private var directWriters: Array[VariantColumnWriter] = Array.empty
  private val others = new RowWithNulls(schema.length, directOrdinals)

  private var group: RowGroupWriter = _
  private var groups = 0
  private var rows = 0L
  private var nextRows = 0L
  private var bytes = 0L
  private var nextBytes = 0L
  private var groupSize = 0L
  private var hasFailed = false
  private var allRows = 0L
  private var typedBytes = 0L
  private var residualBytes = 0L
  private var fileSize = 0L

  startGroup()

  /** Spark's writer sees Variants as binaries; the file has groups in their place. */
  private def init(): (VariantFileSchema, WriteContext) = {
    val conf = new Configuration(configuration)
    ParquetWriteSupport.setSchema(VariantFileSchema.asBinary(schema), conf)
    // Set where Spark's tests force a shredding schema; it is not for these columns.
    conf.unset(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA)
    val spark = support.init(conf)
    val legacyLists = conf.get(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key).toBoolean
    val placed = VariantFileSchema.of(
      schema,
      spark.getSchema,
      schemas,
      layout,
      bloomFilters,
      legacyLists
    )
    val metadata = new HashMap[String, String](spark.getExtraMetaData)
    metadata.put(ParquetReadSupport.SPARK_METADATA_KEY, schema.json)
    (placed, new WriteContext(placed.file, metadata))
  }

  private def open(): ParquetFileWriter = {
    val opened = new ParquetFileWriter(
      output,
      placed.file,
      ParquetFileWriter.Mode.CREATE,
      settings.rowGroupSize,
      settings.maxPadding,
      ParquetOutputFormat.createEncryptionProperties(configuration, path, context),
      limits
    )
    opened.start()
    opened
  }

  /**
   * Writes a row.
   *
   * @param isChecked
   *   whether its Variants are known to be well-formed
   */
  def write(row: InternalRow, isChecked: Boolean = false): Unit = {
    val unsafe = row match {
      case unsafe: UnsafeRow => unsafe
      case other             => toUnsafe(other)
    }
    try {
      writeVariants(unsafe, isChecked)
      if (directOrdinals.length == schema.length) group.endRow() else support.write(others)
      rows += 1
      bytes += unsafe.getSizeInBytes
      if (rows >= limits.getRowGroupRowCountLimit) cut()
      else if (rows >= nextRows || bytes >= nextBytes) measure()
    } catch {
      case e: Throwable =>
        hasFailed = true
        throw e
    }
  }

  // Before the rest of the row, so that nothing is written of one with a malformed Variant.
  private def writeVariants(row: UnsafeRow, isChecked: Boolean): Unit = {
    others.withLeft(row)
    var i = 0
    while (i < directOrdinals.length) {
      directWriters(i).writeColumn(row, directOrdinals(i), isChecked)
      i += 1
    }
  }

  private def measure(): Unit = {
    val held = group.bufferedSize
    val left = math.min(groupSize, share.bytes) - held
    val rowSize = math.max(held / rows, 1L)
    // Parquet's rule: rather a little less than more.
    if (left < 2 * rowSize) cut()
    else {
      val few = limits.getMinRowCountForPageSizeCheck.toLong
      val many = limits.getMaxRowCountForPageSizeCheck.toLong
      nextRows = rows + math.min(math.max(left / rowSize / 2, few), many)
      bytes = 0
      nextBytes = math.max(left / 2, groupSize / VariantFileWriter.Exactness)
    }
  }

  private def cut(): Unit = {
    endGroup()
    startGroup()
  }

  private def startGroup(): Unit = {
    group = new RowGroupWriter(placed, settings, shredding, compressor, file.getEncryptor, groups)
    support.prepareForWrite(group.consumer)
    directWriters = directOrdinals.map(i => group.direct(schema(i).name))
    // Less than a whole one where the file system's blocks have to be met.
    groupSize = math.min(settings.rowGroupSize, file.getNextRowGroupSize)
    rows = 0
    bytes = 0
    nextRows = limits.getMinRowCountForPageSizeCheck.toLong
    nextBytes = math.min(groupSize, share.bytes) / 2
  }

  private def endGroup(): Unit = EachStep(() => writeGroup(), () => group.close())

  private def writeGroup(): Unit = if (rows > 0) {
    group.writeTo(file, rows)
    groups += 1
    allRows += rows
    typedBytes += group.typedBytes
    residualBytes += group.residualBytes
  }

  /** Ends the file; after a failure it is left without a footer. */
  def close(): Unit = EachStep(
    () => if (hasFailed) group.close() else finish(),
    () => share.release(),
    () => file.close(),
    () => codecs.release()
  )

  private def finish(): Unit =
    try {
      endGroup()
      if (file.getEncryptor == null) output.holdEnd()
      file.end(footer)
      fileSize = file.getPos
    } catch {
      case e: Throwable =>
        output.dropEnd()
        throw e
    }

  /** Ends the file without a footer: rows that belong in it did not come. */
  def abandon(): Unit = {
    hasFailed = true
    close()
  }

  /** What has been written, of a file that is closed. */
  def summary: WriteSummary = WriteSummary(
    files = 1,
    rows = allRows,
    bytes = fileSize,
    leaves = placed.file.getColumns.size,
    typedBytes,
    residualBytes
  )

  private def footer: HashMap[String, String] = {
    val metadata = new HashMap[String, String](context.getExtraMetaData)
    if (support.getName != null) metadata.put(ParquetWriter.OBJECT_MODEL_NAME_PROP, support.getName)
    metadata.putAll(support.finalizeWrite().getExtraMetaData)
    metadata
  }
}

/** The row on the left, in which some columns are nulls. */
private final class RowWithNulls(columns: Int, nulls: Array[Int]) extends JoinedRow {
  private val isNull = new Array[Boolean](columns)
  nulls.foreach(isNull(_) = true)
  withRight(InternalRow.empty)

  override def isNullAt(ordinal: Int): Boolean = isNull(ordinal) || getLeft.isNullAt(ordinal)
}

private object VariantFileWriter {

  /** A row group may end too late by this part of its size, and a row. */
  private final val Exactness = 64
}
