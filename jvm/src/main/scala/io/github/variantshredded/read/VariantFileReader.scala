package io.github.variantshredded.read

import java.io.FileNotFoundException
import java.time.ZoneId
import java.util.BitSet

import scala.util.control.NonFatal

import io.github.variantshredded.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.extraction.PathExtraction
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.VersionParser
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.crypto.ParquetCryptoRuntimeException
import org.apache.parquet.hadoop.{CodecFactory, ParquetFileReader}
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, FileMetaData}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.{
  DataSourceUtils,
  PartitionedFile,
  SchemaColumnConvertNotSupportedException
}
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/**
 * Reads the row groups of one split of a file as column batches.
 *
 * A batch is valid until the next is asked for: its vectors are reused, and its Variants are rebuilt
 * from them on demand.
 */
private[read] final class VariantFileReader(
    file: PartitionedFile,
    conf: Configuration,
    dataSchema: StructType,
    partitionSchema: StructType,
    extractedVariants: StructType,
    extractions: Seq[PathExtraction],
    options: VariantReadOptions,
    metrics: ReadMetrics
) extends PartitionReader[ColumnarBatch] {
  import VariantFileReader._

  private val path = file.toPath
  private val context =
    new VariantContext(options.strict, options.maxDepth, metrics, path.toString)

  private val status = guard(path.getFileSystem(conf).getFileStatus(path))
  private val codecs = new BoundedCodecFactory(new CodecFactory(conf, 0))
  private val rowGroups = guard(RowGroups.open(file, status, conf, codecs))
  private val reader = rowGroups.reader
  private val columns = guard(resolve(), reader)
  private val partitionColumns = partitionSchema.fields.zipWithIndex.map { case (field, i) =>
    new ConstantColumn(constant(field.dataType, file.partitionValues, i))
  }
  private val outputs: Array[OutputColumn] =
    columns.columns ++ partitionColumns ++ columns.extracted
  private val variants = columns.variants.toArray
  private val leafIndex = new LeafIndex(rowGroups.schema, columns.leaves)
  private val chunkCheck =
    new ChunkCheck(rowGroups.schema.message, leafIndex, status.getLen, codecs)
  // A column may put another vector into the array for the next batch.
  private val vectors = outputs.map(_.vector: ColumnVector)
  private val batch = new ColumnarBatch(vectors)

  private var nextRowGroup = 0
  private var pages: PageReadStore = _
  private var fetched: FetchedLeaves = _
  private var rowsLeft = 0L

  override def next(): Boolean = {
    batch.setNumRows(0)
    guard {
      columns.startBatch()
      while (rowsLeft == 0 && nextRowGroup < rowGroups.indexes.length) startRowGroup()
      if (rowsLeft == 0) false
      else {
        val rows = math.min(rowsLeft, options.batchSize.toLong).toInt
        var i = 0
        while (i < variants.length) {
          variants(i).readBatch(rows)
          i += 1
        }
        i = 0
        while (i < outputs.length) {
          outputs(i).readBatch(rows)
          vectors(i) = outputs(i).vector
          i += 1
        }
        rowsLeft -= rows
        batch.setNumRows(rows)
        true
      }
    }
  }

  override def get(): ColumnarBatch = batch

  override def close(): Unit = {
    outputs.foreach(_.close())
    variants.foreach(_.close())
    closePages()
    reader.close()
  }

  private def closePages(): Unit = if (pages != null) {
    pages.close()
    pages = null
  }

  private def resolve(): FileColumns = {
    val fileMetadata = reader.getFileMetaData
    new FileColumns(
      rowGroups.schema,
      dataSchema,
      extractedVariants,
      extractions,
      conf,
      decoderSettings(fileMetadata),
      context,
      new FooterChunks(rowGroups.indexes.map(rowGroups(_)))
    )
  }

  private def decoderSettings(fileMetadata: FileMetaData): DecoderSettings = {
    val lookup = (key: String) => fileMetadata.getKeyValueMetaData.get(key)
    val datetime = DataSourceUtils.datetimeRebaseSpec(lookup, options.datetimeRebaseMode)
    val int96 = DataSourceUtils.int96RebaseSpec(lookup, options.int96RebaseMode)
    val createdBy = Option(fileMetadata.getCreatedBy)
    // As Spark: INT96 timestamps of other writers are converted if the user says so.
    val convertTz: ZoneId =
      if (options.int96Conversion && !createdBy.exists(_.startsWith("parquet-mr"))) {
        DateTimeUtils.getZoneId(options.sessionTimeZone)
      } else {
        null
      }
    val writerVersion = createdBy.map { text =>
      // An unknown version only means that one old bug must be reckoned with.
      try VersionParser.parse(text)
      catch { case NonFatal(_) => null }
    }.orNull
    new DecoderSettings(
      convertTz,
      datetime.mode.toString,
      datetime.timeZone,
      int96.mode.toString,
      int96.timeZone,
      writerVersion,
      options.batchSize,
      options.offHeap
    )
  }

  private def startRowGroup(): Unit = {
    val index = rowGroups.indexes(nextRowGroup)
    val block = rowGroups(index)
    context.rowGroup = index
    closePages()
    val chunks = leafIndex.chunks(block)
    chunkCheck.check(block, chunks)
    if (block.getRowCount > 0) {
      request(chunks)
      if (fetched.leaves.nonEmpty) {
        val last = leafIndex.last(block, chunks, fetched.leaves)
        val read = rowGroups.fetching(last)(reader.readRowGroup(index))
        pages = new BoundedPages(read, columns.shared)
      }
      val rowGroup = new RowGroup(context.rowGroup, pages, fetched.skipped)
      variants.foreach(_.startRowGroup(rowGroup))
      outputs.foreach(_.startRowGroup(rowGroup))
      rowsLeft = block.getRowCount
      count(chunks)
    }
    nextRowGroup += 1
  }

  /** Asks for the leaves that are needed of a row group with these chunks. */
  private def request(chunks: Array[ColumnChunkMetaData]): Unit = {
    val allNull = new BitSet(chunks.length)
    if (variants.nonEmpty) {
      var i = 0
      while (i < chunks.length) {
        if (FooterChunks.isAllNull(chunks(i))) allNull.set(i)
        i += 1
      }
    }
    // Mostly it is as in the row group before.
    if (fetched == null || fetched.allNull != allNull) {
      fetched = new FetchedLeaves(leafIndex, allNull, columns.skipped)
      reader.setRequestedSchema(fetched.descriptors)
    }
  }

  private def count(chunks: Array[ColumnChunkMetaData]): Unit = {
    metrics.rowGroupsRead += 1
    metrics.leafChunksSkipped += fetched.skipped.size
    metrics.leafChunksRead += fetched.leaves.length
    fetched.leaves.foreach(leaf => metrics.leafBytesRead += chunks(leaf).getTotalSize)
  }

  /** Turns whatever the libraries below throw at bad bytes into one error that says where. */
  private def guard[T](body: => T): T =
    try body
    catch {
      case e: VariantShreddedException => throw e.at(context.here)
      case e: FileNotFoundException    => throw e
      case e: AccessControlException   => throw e
      case e: InterruptedException     => throw e
      // Spark says what this is: the file's type is not the one wanted.
      case e: SchemaColumnConvertNotSupportedException                => throw e
      case e: UnsupportedOperationException with SparkThrowable       => throw unreadable(e)
      case e: ParquetCryptoRuntimeException                           => throw unreadable(e)
      case e: Throwable with SparkThrowable if e.getCondition != null => throw e
      case e @ (_: StackOverflowError | _: OutOfMemoryError)          =>
        throw corrupt(s"it asks for more than this machine has (${e.getClass.getSimpleName})", e)
      case NonFatal(e) => throw corrupt(String.valueOf(e.getMessage), e)
    }

  private def guard[T](body: => T, opened: ParquetFileReader): T =
    try guard(body)
    catch {
      case e: Throwable =>
        opened.close()
        throw e
    }

  private def corrupt(reason: String, cause: Throwable) =
    VariantShreddedErrors.corruptFile(s"Cannot read the file: $reason", context.here, cause)

  private def unreadable(cause: RuntimeException) =
    VariantShreddedErrors.unreadableFile(String.valueOf(cause.getMessage), context.here, cause)
}

private[read] object VariantFileReader {

  private def constant(
      dataType: DataType,
      values: InternalRow,
      ordinal: Int
  ): ConstantColumnVector = {
    val vector = new ConstantColumnVector(1, dataType)
    if (values.isNullAt(ordinal)) vector.setNull()
    else {
      dataType match {
        case BooleanType => vector.setBoolean(values.getBoolean(ordinal))
        case ByteType    => vector.setByte(values.getByte(ordinal))
        case ShortType   => vector.setShort(values.getShort(ordinal))
        case IntegerType | DateType | _: YearMonthIntervalType =>
          vector.setInt(values.getInt(ordinal))
        case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType | _: TimeType =>
          vector.setLong(values.getLong(ordinal))
        case FloatType            => vector.setFloat(values.getFloat(ordinal))
        case DoubleType           => vector.setDouble(values.getDouble(ordinal))
        case _: StringType        => vector.setUtf8String(values.getUTF8String(ordinal))
        case BinaryType           => vector.setBinary(values.getBinary(ordinal))
        case decimal: DecimalType =>
          vector.setDecimal(
            values.getDecimal(ordinal, decimal.precision, decimal.scale),
            decimal.precision
          )
        case other =>
          throw VariantShreddedErrors.unsupported(
            s"A partition column of type ${other.catalogString}",
            "Partition by a column of an atomic type."
          )
      }
    }
    vector
  }
}
