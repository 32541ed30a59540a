package io.github.variantshredded.write.file

import java.util.HashMap

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
import org.apache.parquet.hadoop.metadata.{CompressionCodecName, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetWriteSupport}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}

/**
 * Writes Spark's rows to one Parquet file. Variants are shredded; Spark's own writer writes all
 * other columns.
 *
 * @param memory
 *   the share of the heap for all files that are written at the same time
 */
private[write] final class VariantFileWriter(
    path: Path,
    columns: WrittenColumns,
    codec: CompressionCodecName,
    configuration: Configuration,
    memory: RowGroupMemory = RowGroupMemory.Shared
) {
  import columns.schema

  private val settings = ParquetSettings(configuration)
  private val limits = settings.properties
  private val support = new ParquetWriteSupport
  private lazy val toUnsafe = UnsafeProjection.create(schema)

  private val shredding = ShredderSettings(
    legacyCalendar =
      SQLConf.get.getConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE) == LegacyBehaviorPolicy.LEGACY,
    layout = columns.layout
  )
  private val (fileSchema, context) = init()
  private val codecs = new CodecFactory(configuration, limits.getPageSizeThreshold)
  private val compressor: BytesInputCompressor = codecs.getCompressor(codec)
  private val output = new FooterOrder(HadoopOutputFile.fromPath(path, configuration))
  private val file = open()
  private val share = memory.acquire(settings)

  // Variants that are top-level columns are written directly. Spark's writer gets the other
  // columns, if there are any, with nulls in place of these Variants.
  private val directOrdinals: Array[Int] =
    if (settings.validates) Array.emptyIntArray
    else schema.indices.filter(i => fileSchema.isColumn(schema(i).name)).toArray
  private var directWriters: Array[VariantColumnWriter] = Array.empty
  private val others = new RowWithNulls(schema.length, directOrdinals)

  private var group: RowGroupWriter = _
  private var groupSize: RowGroupSize = _
  private var groups = 0
  private var hasFailed = false
  private var written =
    WriteStats.Empty.copy(files = 1, leaves = fileSchema.file.getColumns.size)
  private var footerMetadata: ParquetMetadata = _

  try startGroup()
  catch {
    case e: Throwable =>
      try release()
      catch { case other: Throwable => e.addSuppressed(other) }
      throw e
  }

  /** Initializes Spark's writer, which sees Variants as binaries, and the schema of the file. */
  private def init(): (VariantFileSchema, WriteContext) = {
    val conf = new Configuration(configuration)
    ParquetWriteSupport.setSchema(VariantFileSchema.asBinary(schema), conf)
    // Spark's tests set this to force a shredding schema; it must not apply to these columns.
    conf.unset(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA)
    val spark = support.init(conf)
    val legacyLists = conf.get(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key).toBoolean
    val fileSchema = VariantFileSchema.of(
      schema,
      spark.getSchema,
      columns.shredding,
      columns.layout,
      columns.bloomFilters,
      legacyLists
    )
    val metadata = new HashMap[String, String](spark.getExtraMetaData)
    metadata.put(ParquetReadSupport.SPARK_METADATA_KEY, schema.json)
    (fileSchema, new WriteContext(fileSchema.file, metadata))
  }

  private def open(): ParquetFileWriter = {
    val opened = new ParquetFileWriter(
      output,
      fileSchema.file,
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
      groupSize.add(unsafe.getSizeInBytes)
      if (groupSize.isCheckDue && groupSize.isFull(group.bufferedSize)) {
        endGroup()
        startGroup()
      }
    } catch {
      case e: Throwable =>
        hasFailed = true
        throw e
    }
  }

  // Called before the other columns are written, so that a row with a malformed Variant writes
  // nothing.
  private def writeVariants(row: UnsafeRow, isChecked: Boolean): Unit = {
    others.withLeft(row)
    var i = 0
    while (i < directOrdinals.length) {
      directWriters(i).writeColumn(row, directOrdinals(i), isChecked)
      i += 1
    }
  }

  private def startGroup(): Unit = {
    group = new RowGroupWriter(
      fileSchema,
      settings,
      shredding,
      compressor,
      file.getEncryptor,
      groups
    )
    support.prepareForWrite(group.consumer)
    directWriters = directOrdinals.map(i => group.direct(schema(i).name))
    // Smaller than the full size if the row group has to end with a block of the file system.
    val target = math.min(settings.rowGroupSize, file.getNextRowGroupSize)
    groupSize = new RowGroupSize(target, share, limits)
  }

  private def endGroup(): Unit = EachStep(() => writeGroup(), () => group.close())

  private def writeGroup(): Unit = if (groupSize.rows > 0) {
    group.writeTo(file, groupSize.rows)
    groups += 1
    written = written.copy(
      rows = written.rows + groupSize.rows,
      typedBytes = written.typedBytes + group.typedBytes,
      residualBytes = written.residualBytes + group.residualBytes
    )
  }

  /** Ends the file; after a failure, without a footer. */
  def close(): Unit = EachStep(
    () => if (hasFailed) group.close() else finish(),
    () => release()
  )

  private def release(): Unit = EachStep(
    () => share.release(),
    () => file.close(),
    () => codecs.release()
  )

  private def finish(): Unit =
    try {
      endGroup()
      if (file.getEncryptor == null) output.holdEnd()
      file.end(footer)
      written = written.copy(bytes = file.getPos)
      footerMetadata = file.getFooter
    } catch {
      case e: Throwable =>
        output.dropEnd()
        throw e
    }

  /** Ends the file without a footer, because rows are missing in it. */
  def abandon(): Unit = {
    hasFailed = true
    close()
  }

  /**
   * Returns those of `paths` that the rows of the closed file have.
   *
   * @param sorted
   *   see [[OptionPaths.usedIn]]
   */
  def used(paths: OptionPaths, sorted: Set[Int]): Set[Int] =
    paths.usedIn(footerMetadata, fileSchema.variants, sorted)

  /** Returns the statistics of a file that is closed. */
  def stats: WriteStats = written

  private def footer: HashMap[String, String] = {
    val metadata = new HashMap[String, String](context.getExtraMetaData)
    if (support.getName != null) metadata.put(ParquetWriter.OBJECT_MODEL_NAME_PROP, support.getName)
    metadata.putAll(support.finalizeWrite().getExtraMetaData)
    metadata
  }
}

/** Represents a row whose left side is another row, with nulls in some of its columns. */
private final class RowWithNulls(columns: Int, nulls: Array[Int]) extends JoinedRow {
  private val isNull = new Array[Boolean](columns)
  nulls.foreach(isNull(_) = true)
  withRight(InternalRow.empty)

  override def isNullAt(ordinal: Int): Boolean = isNull(ordinal) || getLeft.isNullAt(ordinal)
}
