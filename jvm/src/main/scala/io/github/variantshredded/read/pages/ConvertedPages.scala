package io.github.variantshredded.read.pages

import java.util.{Optional, PrimitiveIterator}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page._

/**
 * Gives Spark's decoder the pages of one column, after a conversion.
 *
 * @param pages
 *   the pages of the row group, which `PageCheck` has checked
 * @param stored
 *   the column of the file
 */
private[read] final class ConvertedPages(
    pages: PageReadStore,
    stored: ColumnDescriptor,
    conversion: PageConversion
) extends PageReadStore {

  /**
   * Returns a reader of the converted pages.
   *
   * @param descriptor
   *   the same column, as the decoder sees it
   */
  override def getPageReader(descriptor: ColumnDescriptor): PageReader =
    new ConvertedPageReader(pages.getPageReader(stored), stored, conversion)

  override def getRowCount: Long = pages.getRowCount

  override def getRowIndexOffset: Optional[java.lang.Long] = pages.getRowIndexOffset

  override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = pages.getRowIndexes

  override def close(): Unit = pages.close()
}

/** Converts each page of a leaf column before the decoder gets it. */
private final class ConvertedPageReader(
    delegate: PageReader,
    stored: ColumnDescriptor,
    conversion: PageConversion
) extends PageReader {

  override def getTotalValueCount: Long = delegate.getTotalValueCount

  override def readDictionaryPage(): DictionaryPage = {
    val page = delegate.readDictionaryPage()
    if (page == null) null else located(conversion.dictionary(page))
  }

  override def readPage(): DataPage = {
    val page = delegate.readPage()
    if (page == null) null else located(conversion.data(PageParts.of(page, stored)))
  }

  private def located[T](body: => T): T =
    try body
    catch {
      case e: VariantShreddedException =>
        throw e.at(ErrorLocation(column = Some(stored.getPath.mkString("."))))
    }
}
