package io.github.variantshredded.read.pages

import java.util.{Optional, PrimitiveIterator}

import scala.collection.mutable

import io.github.variantshredded.read.file.ParquetFixture
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page._
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.internal.column.columnindex.OffsetIndexBuilder
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32
import org.apache.parquet.schema.Types
import org.scalatest.funsuite.AnyFunSuite

class BoundedPagesSuite extends AnyFunSuite {

  private val column =
    new ColumnDescriptor(Array("n"), Types.required(INT32).named("n"), 0, 0)

  private val delta = Encoding.DELTA_BINARY_PACKED

  private def encoded(numbers: Seq[Int]): BytesInput =
    BytesInput.from(ParquetFixture.delta(numbers))

  private def statistics: Statistics[_] =
    Statistics.getBuilderForReading(column.getPrimitiveType).build()

  private def v1(numbers: Int*): DataPage = {
    val bytes = encoded(numbers)
    val rle = Encoding.RLE
    new DataPageV1(bytes, numbers.size, bytes.size.toInt, statistics, rle, rle, delta)
  }

  private def v2(numbers: Int*): DataPage = {
    val none = BytesInput.empty
    val data = encoded(numbers)
    DataPageV2.uncompressed(numbers.size, 0, numbers.size, none, none, delta, data, statistics)
  }

  private def read(selection: Option[RowSelection], of: DataPage*): Seq[Int] = {
    val left = mutable.Queue.from(of)
    val reader = new PageReader {
      override def getTotalValueCount: Long = of.map(_.getValueCount.toLong).sum
      override def readDictionaryPage(): DictionaryPage = null
      override def readPage(): DataPage = if (left.isEmpty) null else left.dequeue()
    }
    val store = new PageReadStore {
      override def getPageReader(descriptor: ColumnDescriptor): PageReader = reader
      override def getRowCount: Long = reader.getTotalValueCount
      override def getRowIndexes: Optional[PrimitiveIterator.OfLong] = Optional.empty
    }
    val fetched = new FetchedPages(store, Map.empty, prefixesCrossPages = false)
    val pages = new BoundedPages(fetched, Set.empty, selection).getPageReader(column)
    Iterator.continually(pages.readPage()).takeWhile(_ != null).map(_.getValueCount).toSeq
  }

  test("pages without values are left out") {
    Seq[Seq[Int] => DataPage](v1(_: _*), v2(_: _*)).foreach { page =>
      val pages = Seq(Nil, Seq(1, 2), Nil, Nil, Seq(3), Nil)
      assert(read(None, pages.map(page): _*) === Seq(2, 1))
      assert(read(Some(RowSelection.all(3)), pages.map(page): _*) === Seq(2, 1))
    }
  }

  private def pageRows(firsts: Long*): PageRows = {
    val index = OffsetIndexBuilder.getBuilder
    firsts.foreach(row => index.add(4, 10, row))
    new PageRows(index.build(), 100)
  }

  test("a page without rows has the first row of the next page, but not its rows") {
    def counts(rows: PageRows, pages: (Long, Boolean)*): Seq[Long] =
      pages.map { case (first, isEmpty) => rows.count(first, isEmpty) }
    val pages = Seq(0L -> true, 0L -> false, 40L -> true, 40L -> true, 40L -> false, 100L -> true)
    val firsts = pages.map(_._1)
    assert(counts(pageRows(firsts: _*), pages: _*) === Seq(0, 40, 0, 0, 60, 0))
    assert(counts(pageRows(firsts: _*), 1L -> false, 101L -> false) === Seq(-1, -1))
    // Of pages with the same first row, only one can have rows.
    assert(counts(pageRows(firsts: _*), 0L -> false, 0L -> false) === Seq(40, -1))
    assert(counts(pageRows(0, 40), 40L -> true) === Seq(60))
  }
}
