package io.github.variantshredded.read.pages

import scala.collection.mutable

import org.apache.parquet.column.page._

/** Lets two readers read the pages of one column. A page is kept until both have read it. */
private final class SharedPages(pages: PageReader) {
  private val readers = mutable.ArrayBuffer.empty[Reader]
  private lazy val dictionary = pages.readDictionaryPage()

  def newReader(): PageReader = {
    val reader = new Reader
    readers += reader
    reader
  }

  private final class Reader extends PageReader {
    val waiting = new mutable.Queue[DataPage]

    override def getTotalValueCount: Long = pages.getTotalValueCount

    override def readDictionaryPage(): DictionaryPage = dictionary

    override def readPage(): DataPage = {
      if (waiting.isEmpty) {
        val page = pages.readPage()
        if (page != null) readers.foreach(_.waiting += page)
      }
      if (waiting.isEmpty) null else waiting.dequeue()
    }
  }
}
