package io.github.variantshredded.read.pages

import scala.collection.mutable

import org.apache.parquet.column.page._

/** The pages of one column for two readers: kept until both have had them. */
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
