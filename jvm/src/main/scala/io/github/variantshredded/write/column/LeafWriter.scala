package io.github.variantshredded.write.column

import java.io.ByteArrayOutputStream

import scala.annotation.nowarn
import scala.collection.mutable

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.page.PageWriter
import org.apache.parquet.column.statistics.{SizeStatistics, Statistics}
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics
import org.apache.parquet.column.values.bloomfilter.BloomFilterWriter
import org.apache.parquet.io.api.Binary

/**
 * Writes one leaf column of a row group: values and nulls with their levels, in the order of the
 * rows, into the pages of a column chunk.
 *
 * A page can end only between rows. Each method that adds a value takes its repetition level; the
 * definition level of a value is the maximum of the column.
 *
 * Nulls are added in runs: parquet-java's `ColumnWriter` takes one call per null.
 *
 * @param pages
 *   receives finished pages
 * @param bloomFilters
 *   receives the bloom filter
 * @param bloomFilter
 *   null for a column without a filter
 */
private[write] final class LeafWriter(
    column: ColumnDescriptor,
    pages: PageWriter,
    bloomFilters: => BloomFilterWriter,
    bloomFilter: LeafBloomFilter,
    props: ParquetProperties
) {
  import LeafWriter._

  private val isFirstVersion = props.getWriterVersion == WriterVersion.PARQUET_1_0
  private val maxDefinition = column.getMaxDefinitionLevel
  private val maxRepetition = column.getMaxRepetitionLevel
  private val repetitions = new HybridEncoder(HybridEncoder.bitWidth(maxRepetition))
  private val definitions = new HybridEncoder(HybridEncoder.bitWidth(maxDefinition))
  private val values = LeafEncoder(column, props)
  private val statistics = new PageStatistics(column, props)

  // The run of values or nulls with the same levels that has not been added to the encoders.
  private var runRepetition = 0
  private var runDefinition = 0
  private var runLength = 0

  // Whether a page of the chunk has values.
  private var hasValues = false

  // Pages without values. They get the encoding of the dictionary if the first page with values uses
  // it, and PLAIN otherwise.
  private val waiting = mutable.ArrayBuffer.empty[Page]
  private var waitingBytes = 0L

  // Counts of the current page, without the run.
  private var valueCount = 0
  private var rowCount = 0

  private var writtenRows = 0L
  private var contentBytes = 0L

  /** Returns the last name of the column's path. */
  def name: String = column.getPath.last

  /**
   * Returns the sum of the bytes of all values of the chunk before encoding, without lengths and
   * levels.
   */
  def content: Long = contentBytes

  /** Adds `count` nulls, or rows in which an ancestor is null, with the same levels. */
  def addNulls(repetition: Int, definition: Int, count: Int): Unit =
    addLevels(repetition, definition, count)

  private def addLevels(repetition: Int, definition: Int, count: Int): Unit =
    if (repetition == runRepetition && definition == runDefinition) runLength += count
    else {
      endRun()
      runRepetition = repetition
      runDefinition = definition
      runLength = count
    }

  private def endRun(): Unit = if (runLength > 0) {
    if (maxRepetition > 0) repetitions.addRun(runRepetition, runLength)
    if (maxDefinition > 0) definitions.addRun(runDefinition, runLength)
    statistics.addLevels(runRepetition, runDefinition, runLength)
    valueCount += runLength
    if (runRepetition == 0) rowCount += runLength
    runLength = 0
  }

  def addInt(value: Int, repetition: Int): Unit = {
    addLevels(repetition, maxDefinition, 1)
    values.addInt(value)
    statistics.addNumber(value.toLong)
    contentBytes += 4
    if (bloomFilter != null) bloomFilter.insert(value)
  }

  def addLong(value: Long, repetition: Int): Unit = {
    addLevels(repetition, maxDefinition, 1)
    values.addLong(value)
    statistics.addNumber(value)
    contentBytes += 8
    if (bloomFilter != null) bloomFilter.insert(value)
  }

  def addFloat(value: Float, repetition: Int): Unit = {
    addLevels(repetition, maxDefinition, 1)
    values.addFloat(value)
    statistics.addFloat(value)
    contentBytes += 4
    if (bloomFilter != null) bloomFilter.insert(value)
  }

  def addDouble(value: Double, repetition: Int): Unit = {
    addLevels(repetition, maxDefinition, 1)
    values.addDouble(value)
    statistics.addDouble(value)
    contentBytes += 8
    if (bloomFilter != null) bloomFilter.insert(value)
  }

  def addBoolean(value: Boolean, repetition: Int): Unit = {
    addLevels(repetition, maxDefinition, 1)
    values.addBoolean(value)
    statistics.addBoolean(value)
    contentBytes += 1
  }

  /** Adds a byte array of any length, which is copied. */
  def addBytes(bytes: Array[Byte], pos: Int, length: Int, repetition: Int): Unit = {
    addBytesAgain(-1, bytes, pos, length, repetition)
    ()
  }

  /**
   * Adds a byte array that may have been added before.
   *
   * @param known
   *   the result of this method for the same bytes, or -1
   * @return
   *   a number that stands for these bytes until the chunk ends, or -1
   */
  def addBytesAgain(
      known: Int,
      bytes: Array[Byte],
      pos: Int,
      length: Int,
      repetition: Int
  ): Int = {
    addLevels(repetition, maxDefinition, 1)
    statistics.addBytes(bytes, pos, length)
    contentBytes += length
    if (bloomFilter != null) bloomFilter.insert(Binary.fromReusedByteArray(bytes, pos, length))
    values.addBytesAgain(known, bytes, pos, length)
  }

  /** Adds a byte array of the column's fixed length, which is copied. */
  def addFixed(bytes: Array[Byte], pos: Int, length: Int, repetition: Int): Unit = {
    addLevels(repetition, maxDefinition, 1)
    values.addBytes(bytes, pos, length)
    statistics.addFixed(Binary.fromReusedByteArray(bytes, pos, length))
    contentBytes += length
    if (bloomFilter != null) bloomFilter.insert(Binary.fromReusedByteArray(bytes, pos, length))
  }

  /** Returns the number of values and nulls in the current page. */
  def pageValues: Int = valueCount + runLength

  /** Returns the number of rows in finished pages. */
  def rowsBefore: Long = writtenRows

  /**
   * Returns the number of bytes of the current page before compression, and as if there were no
   * dictionary.
   */
  def pageSize: Long = repetitions.size + definitions.size + values.pageSize

  /**
   * Returns the number of bytes of the finished pages, of the current page, and of pages that wait
   * for their encoding.
   */
  def bufferedSize: Long =
    pages.getMemSize + repetitions.size + definitions.size + values.allocated + waitingBytes

  /** Ends the page, unless it is empty. */
  def endPage(): Unit = if (pageValues > 0) {
    endRun()
    hasValues ||= statistics.nulls < valueCount
    if (!hasValues && values.mayUseDictionary) {
      val held = page(copy)
      waiting += held
      waitingBytes += held.repetitions.size + held.definitions.size + HeaderBytes
    } else {
      val data = values.page()
      writeWaiting(values.encoding)
      write(page(identity), data, values.encoding)
      values.endPage()
    }
    repetitions.reset()
    definitions.reset()
    statistics.reset()
    writtenRows += rowCount
    valueCount = 0
    rowCount = 0
  }

  // Readers do not use the dictionary of a chunk with a plain page to skip the row group. Spark's
  // reader fails in a repeated column if a page with a dictionary follows a plain page within a
  // batch, even if the plain page has no values.
  private def writeWaiting(encoding: Encoding): Unit = {
    waiting.foreach { page =>
      if (encoding.usesDictionary) write(page, NoIndexes, encoding)
      else write(page, BytesInput.empty(), Encoding.PLAIN)
    }
    waiting.clear()
    waitingBytes = 0
  }

  private def write(page: Page, data: BytesInput, encoding: Encoding): Unit =
    if (isFirstVersion)
      pages.writePage(
        BytesInput.concat(page.repetitions, page.definitions, data),
        page.values,
        page.rows,
        page.statistics,
        page.sizes,
        geospatial,
        levelEncoding(maxRepetition),
        levelEncoding(maxDefinition),
        encoding
      )
    else
      pages.writePageV2(
        page.rows,
        page.nulls,
        page.values,
        page.repetitions,
        page.definitions,
        encoding,
        data,
        page.statistics,
        page.sizes,
        geospatial
      )

  private def geospatial = GeospatialStatistics.newBuilder(column.getPrimitiveType).build()

  /** Ends the column chunk: writes its last page, the dictionary and the bloom filter. */
  def endChunk(): Unit = {
    endPage()
    writeWaiting(Encoding.PLAIN)
    val dictionary = values.dictionary()
    if (dictionary != null) pages.writeDictionaryPage(dictionary)
    if (bloomFilter != null) bloomFilters.writeBloomFilter(bloomFilter.result())
  }

  private def copy(bytes: BytesInput): BytesInput = {
    val out = new ByteArrayOutputStream(Math.toIntExact(bytes.size))
    bytes.writeAllTo(out)
    BytesInput.from(out)
  }

  private def page(keep: BytesInput => BytesInput): Page = new Page(
    keep(levels(repetitions, maxRepetition)),
    keep(levels(definitions, maxDefinition)),
    valueCount,
    rowCount,
    Math.toIntExact(statistics.nulls),
    statistics.values(),
    statistics.sizes()
  )

  private def levels(encoder: HybridEncoder, max: Int): BytesInput =
    if (max == 0) BytesInput.empty()
    else {
      val encoded = encoder.finish()
      if (isFirstVersion)
        BytesInput.concat(BytesInput.fromInt(Math.toIntExact(encoded.size)), encoded)
      else encoded
    }

  // parquet-java's writer uses this name if there are no levels.
  @nowarn("cat=deprecation")
  private def levelEncoding(max: Int): Encoding =
    if (max == 0) Encoding.BIT_PACKED else Encoding.RLE
}

private object LeafWriter {

  // About what the header of a page without values takes in the file.
  private final val HeaderBytes = 40

  /** Holds a finished page without its values. */
  private final class Page(
      val repetitions: BytesInput,
      val definitions: BytesInput,
      val values: Int,
      val rows: Int,
      val nulls: Int,
      val statistics: Statistics[_],
      val sizes: SizeStatistics
  )

  /** The bytes of a dictionary-encoded page without values: only the bit width of an index. */
  private val NoIndexes = BytesInput.from(Array[Byte](0))
}
