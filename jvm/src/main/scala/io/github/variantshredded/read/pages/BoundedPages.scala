package io.github.variantshredded.read.pages

import java.nio.ByteBuffer
import java.util.{Optional, PrimitiveIterator}

import scala.collection.mutable

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.read.pages.check.{DeltaLengths, PageCheck}
import org.apache.parquet.bytes.{BytesInput, PlainBinaries}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, FIXED_LEN_BYTE_ARRAY}

/**
 * Gives Spark's decoders the pages of a row group, after [[PageCheck]] has checked each page.
 *
 * The checks are needed because the decoders allocate memory as a page claims, and do not terminate
 * if a page has fewer levels than values. Values in an encoding that the decoders of some Spark
 * version cannot read, cannot skip, or cannot read after the page before, are converted to plain
 * encoding.
 *
 * @param shared
 *   leaf columns that are read by two readers
 * @param selection
 *   the rows to decode; None for all rows
 */
private[read] final class BoundedPages(
    fetched: FetchedPages,
    shared: Set[Seq[String]],
    selection: Option[RowSelection]
) extends PageReadStore {
  private val delegate = fetched.pages
  private val sharedReaders = mutable.Map.empty[Seq[String], SharedPages]

  /**
   * Returns a reader of the column's pages. Several readers of a shared leaf column each read all
   * pages.
   */
  override def getPageReader(descriptor: ColumnDescriptor): PageReader = {
    val path: Seq[String] = descriptor.getPath.toIndexedSeq
    def reader = new BoundedPageReader(
      delegate.getPageReader(descriptor),
      descriptor,
      new PageCheck(descriptor, fetched.prefixesCrossPages),
      fetched.prefixesCrossPages,
      fetched.rowsOf.get(path),
      selection.isDefined,
      getRowCount
    )
    if (shared(path)) sharedReaders.getOrElseUpdate(path, new SharedPages(reader)).newReader()
    else reader
  }

  override def getRowCount: Long = delegate.getRowCount

  override def getRowIndexOffset: Optional[java.lang.Long] = delegate.getRowIndexOffset

  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] =
    selection.fold(delegate.getRowIndexes)(rows => Optional.of(rows.iterator))

  override def close(): Unit = delegate.close()
}

/** Checks each page of a leaf column before the decoder gets it. */
private final class BoundedPageReader(
    delegate: PageReader,
    descriptor: ColumnDescriptor,
    check: PageCheck,
    prefixesCrossPages: Boolean,
    pageRows: Option[PageRows],
    someRows: Boolean,
    rowCount: Long
) extends PageReader {
  private val physicalType = descriptor.getPrimitiveType.getPrimitiveTypeName

  private val isWhole = !someRows && pageRows.isEmpty
  private var valuesRead = 0L

  private var hasDictionary = false

  // Read once more when it is needed, because few files have such pages.
  private lazy val dictionary = {
    val page = delegate.readDictionaryPage()
    new DictionaryPages(bytesOf(page.getBytes), page.getDictionarySize, check.plainWidth)
  }

  // Spark's decoder of lists needs one encoding for pages without values too.
  private val isList = descriptor.getMaxRepetitionLevel > 0

  /** Whether a page with values, but without dictionary ids, was read. */
  private var hasOtherPage = false

  override def getTotalValueCount: Long = delegate.getTotalValueCount

  override def readDictionaryPage(): DictionaryPage = {
    val page = delegate.readDictionaryPage()
    if (page == null) null
    else {
      located {
        val bytes = bytesOf(page.getBytes)
        val size = page.getDictionarySize
        check.dictionary(size, bytes.duplicate())
        hasDictionary = true
        new DictionaryPage(BytesInput.from(bytes), size, page.getEncoding)
      }
    }
  }

  /**
   * Returns the next page that has values. pyarrow writes pages without any, which Spark's decoders
   * of delta encodings refuse.
   */
  override def readPage(): DataPage = {
    var page = readAny()
    while (page != null && page.getValueCount == 0) page = readAny()
    page
  }

  private def readAny(): DataPage = {
    val page = delegate.readPage()
    if (page == null) null
    else
      located {
        val checked = page match {
          case v1: DataPageV1 => readPageV1(v1)
          case v2: DataPageV2 => readPageV2(v2)
          case other          => other
        }
        valuesRead += page.getValueCount
        if (isWhole) check.chunk(rowCount, isLast = valuesRead == getTotalValueCount)
        checked
      }
  }

  private def readPageV1(page: DataPageV1): DataPage = {
    // The output of a codec can be read only once, so a new page is made from its bytes.
    val bytes = bytesOf(page.getBytes)
    val rows = Option.when(page.getIndexRowCount.isPresent)(page.getIndexRowCount.get.toLong)
    val values = check.pageV1(page, bytes.duplicate(), rows)
    val encoding = page.getValueEncoding
    val output = outputOf(encoding, page.getValueCount, bytes, values)
    val input = inputOf(plain(bytes, values, encoding, output), output)
    PageCopies.v1(page, input, output)
  }

  private def readPageV2(page: DataPageV2): DataPage = {
    val repetition = bytesOf(page.getRepetitionLevels)
    val definition = bytesOf(page.getDefinitionLevels)
    val data = bytesOf(page.getData)
    val firstRow = page.getFirstRowIndex
    check.pageV2(
      page,
      repetition.duplicate(),
      definition.duplicate(),
      data.duplicate(),
      if (firstRow.isPresent) pageRows.map(_.count(firstRow.get, page.getRowCount == 0)) else None
    )
    val encoding = page.getDataEncoding
    val output = outputOf(encoding, page.getValueCount, data, data.position())
    val input = inputOf(plain(data, data.position(), encoding, output), output)
    PageCopies.v2(page, BytesInput.from(repetition), BytesInput.from(definition), input, output)
  }

  private def plain(
      page: ByteBuffer,
      values: Int,
      encoding: Encoding,
      output: Encoding
  ): ByteBuffer = encoding match {
    case Encoding.BYTE_STREAM_SPLIT => StreamSplit.toPlain(page, values, check.valueWidth)
    case _ if output != encoding && encoding.usesDictionary =>
      dictionary.toPlain(page, values, check.presentInPage)
    case _ if output != encoding =>
      DeltaPages.toPlain(page, values, encoding, physicalType, check.valueWidth)
    case Encoding.DELTA_BYTE_ARRAY => DeltaPages.atStartOfArray(page)
    case _                         => page
  }

  private def inputOf(page: ByteBuffer, encoding: Encoding): BytesInput =
    if (encoding == Encoding.PLAIN && physicalType == BINARY) new PlainBinaries(page)
    else BytesInput.from(page)

  /** Returns the encoding in which a page is passed on; the parameters are those of `isRewritten`. */
  private def outputOf(encoding: Encoding, count: Int, page: ByteBuffer, values: Int): Encoding = {
    val rewrites = isRewritten(encoding, count, page, values)
    val hasValues = if (isList) count > 0 else page.limit() > values
    hasOtherPage |= hasValues && !encoding.usesDictionary
    if (rewrites) Encoding.PLAIN else encoding
  }

  /**
   * Returns true if a page is converted to plain encoding.
   *
   * @param count
   *   the number of values, nulls included
   * @param values
   *   the index in `page` where the values begin
   */
  private def isRewritten(
      encoding: Encoding,
      count: Int,
      page: ByteBuffer,
      values: Int
  ): Boolean = {
    def isSparse =
      DeltaLengths.isSparse(DeltaPages.countOf(page.duplicate().position(values)), count)
    encoding match {
      case Encoding.BYTE_STREAM_SPLIT       => true
      case Encoding.DELTA_BINARY_PACKED     => someRows
      case Encoding.DELTA_LENGTH_BYTE_ARRAY => isSparse
      case Encoding.DELTA_BYTE_ARRAY        =>
        (someRows && physicalType == FIXED_LEN_BYTE_ARRAY) || (!prefixesCrossPages && isSparse)
      // Without a dictionary, Spark's decoder refuses the page.
      case _ => encoding.usesDictionary && hasOtherPage && hasDictionary
    }
  }

  /** Returns the bytes in one buffer. Copies them only if they are in several buffers. */
  private def bytesOf(input: BytesInput): ByteBuffer = {
    val in = input.toInputStream
    in.slice(in.available)
  }

  private def located[T](body: => T): T =
    try body
    catch {
      case e: VariantShreddedException =>
        throw e.at(ErrorLocation(column = Some(descriptor.getPath.mkString("."))))
    }
}
