package io.github.variantshredded.read.skip

import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import com.sun.management.ThreadMXBean
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.{Conjuncts, Operand, SkippingPredicate}
import io.github.variantshredded.predicate.ValueTest.OneOf
import io.github.variantshredded.read.file.{FileRows, ParquetFixture}
import io.github.variantshredded.read.pages.check.OffsetIndexCheck
import org.apache.parquet.format.{BoundaryOrder, ColumnIndex}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.{OffsetIndex, OffsetIndexBuilder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  EqualTo,
  Expression,
  IsNull,
  Literal,
  StartsWith
}
import org.apache.spark.sql.types._
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

/** Page indexes that cannot be true. */
class PageIndexSuite extends AnyFunSuite with BeforeAndAfterEach {
  private val path = Files.createTempFile("pages", ".parquet")

  override protected def afterEach(): Unit = Files.deleteIfExists(path): Unit

  private def write(columns: String = "optional int64 id;"): Unit = {
    Files.deleteIfExists(path)
    ParquetFixture.write(
      path,
      s"message m { $columns }",
      (0 until 100).map(i => Map("id" -> i.toLong)),
      _.withPageRowCountLimit(20).withMinRowCountForPageSizeCheck(1).withDictionaryEncoding(false)
    )
  }

  private def withChunk[T](body: ColumnChunkMetaData => T): T = {
    write()
    val open = new SkippedFile(path)
    try body(open.blocks.head.getColumns.get(0))
    finally open.close()
  }

  /** An index of (offset, size, first row). */
  private def index(pages: (Long, Int, Long)*): OffsetIndex = {
    val builder = OffsetIndexBuilder.getBuilder
    pages.foreach { case (offset, size, row) => builder.add(offset, size, row) }
    builder.build()
  }

  test("offset indexes that cannot be true are refused") {
    withChunk { chunk =>
      val start = chunk.getStartingPos
      val end = start + chunk.getTotalSize
      OffsetIndexCheck.check(chunk, 100, index((start, 10, 0), (start + 10, 20, 40)))
      OffsetIndexCheck.check(chunk, 1, index((start, chunk.getTotalSize.toInt, 0)))
      def refused(reason: String)(pages: (Long, Int, Long)*): Unit = {
        val error = intercept[VariantShreddedException](
          OffsetIndexCheck.check(chunk, 100, index(pages: _*))
        )
        assert(error.condition === "CORRUPT_PARQUET_FILE")
        assert(error.location.column === Some("id"))
        assert(error.reason === s"The offset index $reason")
      }
      refused("has row 1 as the first row of page 0 in a row group of 100 rows.")((start, 10, 1))
      refused("has row -1 as the first row of page 0 in a row group of 100 rows.")((start, 10, -1))
      refused("has row 5 as the first row of page 2 in a row group of 100 rows.")(
        (start, 10, 0),
        (start + 10, 9, 6),
        (start + 19, 9, 5)
      )
      refused("has row 101 as the first row of page 1 in a row group of 100 rows.")(
        (start, 10, 0),
        (start + 10, 9, 101)
      )
      def pageAt(page: Int, offset: Long, size: Int, free: Long) =
        s"has page $page at offset $offset with $size bytes, but the bytes $free to $end are left."
      refused(pageAt(0, start - 1, 10, start))((start - 1, 10, 0))
      refused(pageAt(0, -5, 10, start))((-5, 10, 0))
      refused(pageAt(0, start, 0, start))((start, 0, 0))
      refused(pageAt(0, start, -4, start))((start, -4, 0))
      refused(pageAt(0, start, Int.MaxValue, start))((start, Int.MaxValue, 0))
      refused(pageAt(1, start + 9, 10, start + 10))((start, 10, 0), (start + 9, 10, 5))
      refused(pageAt(1, end - 9, 10, start + 10))((start, 10, 0), (end - 9, 10, 5))
      refused(pageAt(0, Long.MaxValue, 10, start))((Long.MaxValue, 10, 0))
    }
    val none = new OffsetIndex {
      override def getPageCount: Int = 0
      override def getOffset(page: Int): Long = 0
      override def getCompressedPageSize(page: Int): Int = 0
      override def getFirstRowIndex(page: Int): Long = 0
    }
    withChunk { chunk =>
      val error = intercept[VariantShreddedException](OffsetIndexCheck.check(chunk, 100, none))
      assert(error.reason === "The offset index has no page for 100 rows.")
      OffsetIndexCheck.check(chunk, 0, none)
      intercept[VariantShreddedException](OffsetIndexCheck.check(chunk, 100, null)): Unit
    }
  }

  test("pages without rows, at the start, in the middle and at the end") {
    withChunk { chunk =>
      val firsts = Seq(0L, 0L, 40L, 40L, 100L)
      val offsets = index(firsts.zipWithIndex.map { case (row, page) =>
        (chunk.getStartingPos + 10 * page, 10, row)
      }: _*)
      OffsetIndexCheck.check(chunk, 100, offsets)
      val stored = ColumnValues.of(chunk.getPrimitiveType, LongType, CalendarRebase.None)
      def rows(value: Long): String = {
        val bounds = firsts.indices.map { page =>
          ByteBuffer.allocate(8).put(0, if (page % 2 == 0) 7.toByte else 1.toByte)
        }.asJava
        val pages = columnIndex(firsts.size).setMin_values(bounds).setMax_values(bounds)
        val test =
          new LeafTest.Passes(Seq("id"), stored, OneOf(Vector(value)), LongType, orNull = false)
        PageRanges.of(chunk, 100, pages, offsets).get.rows(test).toString
      }
      assert(rows(1L) === "[0-99]")
      // Only the pages without rows may have this value.
      assert(rows(7L) === "[]")
    }
  }

  private def columnIndex(pages: Int): ColumnIndex = {
    val bound = ByteBuffer.allocate(8)
    new ColumnIndex(
      Seq.fill(pages)(java.lang.Boolean.FALSE).asJava,
      Seq.fill(pages)(bound).asJava,
      Seq.fill(pages)(bound).asJava,
      BoundaryOrder.UNORDERED
    )
  }

  test("a column index of another number of pages keeps all rows of the row group") {
    withChunk { chunk =>
      val start = chunk.getStartingPos
      val offsets = index((start, 10, 0), (start + 10, 20, 40))
      assert(PageRanges.of(chunk, 100, columnIndex(2), offsets).nonEmpty)
      assert(PageRanges.of(chunk, 100, columnIndex(1), offsets).isEmpty)
      val counts = columnIndex(2)
      counts.setNull_counts(Seq.fill(3)(java.lang.Long.valueOf(0)).asJava)
      assert(PageRanges.of(chunk, 100, counts, offsets).isEmpty)
    }
    write()
    // As parquet-go writes them: one entry too many.
    ParquetFixture.editIndexes(path) { (_, index, _) =>
      index.getNull_pages.add(true)
      index.getMin_values.add(ByteBuffer.allocate(0))
      index.getMax_values.add(ByteBuffer.allocate(0))
      index.getNull_counts.add(0L): Unit
    }
    assert(kept() === all)
    assert(read("id bigint", EqualTo(_, Literal(50L)))(_.getLong(0)).contains(50L))
  }

  /** The rows that are left by a condition on the first column. */
  private def read[T](ddl: String, condition: AttributeReference => Expression)(
      row: InternalRow => T
  ): Seq[T] = {
    val schema = StructType.fromDDL(ddl)
    val first = AttributeReference(schema.head.name, schema.head.dataType)()
    val pushed = Conjuncts.of(Seq(condition(first)), schema).pushed
    assert(pushed.nonEmpty)
    FileRows.read(path, schema, conjuncts = pushed)(row)
  }

  test("empty bounds of strings in a column index say nothing") {
    val longest = "z" * 5000
    Seq[(Int => String, ColumnIndex => Unit)](
      (_ => longest, index => index.setMin_values(empty(index)).setMax_values(empty(index)): Unit),
      // Only the longer one of the bounds is left out.
      (i => if (i % 2 == 0) longest else "a", index => index.setMax_values(empty(index)): Unit)
    ).foreach { case (value, edit) =>
      Files.deleteIfExists(path)
      ParquetFixture.write(
        path,
        "message m { optional binary s (STRING); }",
        (0 until 40).map(i => Map("s" -> value(i))),
        _.withPageRowCountLimit(20)
          .withMinRowCountForPageSizeCheck(1)
          .withDictionaryEncoding(false)
          .withStatisticsTruncateLength(10000)
      )
      ParquetFixture.editFooter(path)(
        _.getRow_groups.get(0).getColumns.get(0).getMeta_data.unsetStatistics(): Unit
      )
      ParquetFixture.editIndexes(path)((_, index, _) => edit(index))
      val rows = (0 until 40).map(value).count(_ == longest)
      val isEqual = EqualTo(_: AttributeReference, Literal(longest))
      val begins = StartsWith(_: AttributeReference, Literal("z"))
      Seq(isEqual, begins).foreach { condition =>
        assert(read("s string", condition)(_.getString(0)).count(_ == longest) === rows)
      }
    }
  }

  private def empty(index: ColumnIndex): java.util.List[ByteBuffer] =
    Seq.fill(index.getNull_pages.size)(ByteBuffer.allocate(0)).asJava

  test("an offset index without pages is as good as none") {
    write("optional int64 id; optional int64 n;")
    // As parquet-rs 42.0.0 writes it for a column that is all null.
    ParquetFixture.editIndexes(path) { (chunk, _, index) =>
      val column = chunk.getMeta_data
      if (column.getPath_in_schema.get(0) == "n") {
        index.getPage_locations.clear()
        column.unsetStatistics()
      }
    }
    val found = read("id bigint, n bigint", EqualTo(_, Literal(50L))) { row =>
      (row.getLong(0), row.isNullAt(1))
    }
    assert(found.contains((50L, true)))
    assert(read("n bigint, id bigint", IsNull)(_.getLong(1)).toSet === all)
    assert(read("n bigint, id bigint", EqualTo(_, Literal(5L)))(_.isNullAt(0)).forall(identity))
  }

  private def kept(): Set[Long] = {
    val open = new SkippedFile(path)
    try {
      val test = SkippingPredicate.Test(Operand.Column(Seq("id"), LongType), OneOf(Vector(50L)))
      open.kept(open.filter(test, StructType.fromDDL("id bigint"))).pages
    } finally open.close()
  }

  private val all = (0L until 100L).toSet

  test("bounds of the wrong length say nothing") {
    withChunk { chunk =>
      val offsets = index((chunk.getStartingPos, 10, 0), (chunk.getStartingPos + 10, 20, 40))
      val bounds = columnIndex(2)
      bounds.setMin_values(Seq(ByteBuffer.allocate(3), ByteBuffer.allocate(8)).asJava)
      val stored = ColumnValues.of(chunk.getPrimitiveType, LongType, CalendarRebase.None)
      val test =
        new LeafTest.Passes(Seq("id"), stored, OneOf(Vector(5L)), LongType, orNull = false)
      assert(PageRanges.of(chunk, 100, bounds, offsets).get.rows(test).toString === "[0-39]")
    }
  }

  test("null_pages that other numbers contradict say nothing") {
    withChunk { chunk =>
      val offsets = index((chunk.getStartingPos, 10, 0), (chunk.getStartingPos + 10, 20, 40))
      val stored = ColumnValues.of(chunk.getPrimitiveType, LongType, CalendarRebase.None)
      val test =
        new LeafTest.Passes(Seq("id"), stored, OneOf(Vector(5L)), LongType, orNull = false)
      // Of a row group of 100 rows and 100 values, or of 90 rows and 100 values: a column of lists.
      def rows(change: ColumnIndex => Unit, of: Long = 100): String = {
        val nulls = columnIndex(2)
        nulls.setNull_pages(Seq(java.lang.Boolean.TRUE, java.lang.Boolean.FALSE).asJava)
        change(nulls)
        PageRanges.of(chunk, of, nulls, offsets).get.rows(test).toString
      }
      def longs(values: Long*) = values.map(java.lang.Long.valueOf(_)).asJava
      val (kept, dropped) = ("[0-39]", "[]")
      assert(rows(_ => ()) === kept)
      assert(rows(_.setNull_counts(longs(0, 0)): Unit) === kept)
      assert(rows(_.setNull_counts(longs(39, 0)): Unit) === kept)
      assert(rows(_.setNull_counts(longs(40, 0)): Unit) === dropped)
      assert(rows(_.setNull_counts(longs(40, 0)): Unit, of = 90) === kept)
      assert(rows(_.setNull_counts(longs(41, 0)): Unit, of = 90) === dropped)
      def histogram(values: Long*)(index: ColumnIndex): Unit = {
        val _ = index.setNull_counts(longs(40, 0)).setDefinition_level_histograms(longs(values: _*))
      }
      assert(rows(histogram(30, 10, 7, 0, 0, 60), of = 90) === kept)
      assert(rows(histogram(30, 10, 0, 0, 0, 60), of = 90) === dropped)
    }
  }

  test("null counts of pages say nothing if the footer has none") {
    write()
    ParquetFixture.editFooter(path) { footer =>
      footer.getRow_groups.get(0).getColumns.get(0).getMeta_data.getStatistics.unsetNull_count()
    }
    val open = new SkippedFile(path)
    try {
      val chunk = open.blocks.head.getColumns.get(0)
      val offsets = index((chunk.getStartingPos, 10, 0), (chunk.getStartingPos + 10, 20, 40))
      val nulls = columnIndex(2)
      nulls.setNull_pages(Seq(java.lang.Boolean.TRUE, java.lang.Boolean.FALSE).asJava)
      nulls.setNull_counts(Seq(40L, 0L).map(java.lang.Long.valueOf(_)).asJava)
      val pages = PageRanges.of(chunk, 100, nulls, offsets).get
      assert(pages.rows(LeafTest.NotNull(Seq("id"))).toString === "[0-99]")
      assert(pages.rows(LeafTest.HasNull(Seq("id"))).toString === "[0-99]")
    } finally open.close()
  }

  test("indexes that cannot be read are as good as none") {
    write()
    assert(kept() === (40L until 60L).toSet)
    ParquetFixture.editFooter(path) { footer =>
      footer.getRow_groups.asScala.foreach(
        _.getColumns.asScala.foreach(_.setColumn_index_length(3))
      )
    }
    assert(kept() === all)
    Seq(-1L, 1L << 60).foreach { offset =>
      write()
      ParquetFixture.editFooter(path) { footer =>
        footer.getRow_groups.asScala
          .foreach(_.getColumns.asScala.foreach(_.setOffset_index_offset(offset)))
      }
      assert(kept() === all)
    }
    write()
    ParquetFixture.editFooter(path) { footer =>
      footer.getRow_groups.asScala.foreach(_.getColumns.asScala.foreach { chunk =>
        chunk.unsetColumn_index_offset()
        chunk.unsetColumn_index_length()
      })
    }
    assert(kept() === all)
  }

  test("an index that claims to have two thousand million pages takes no memory") {
    write()
    val file = Files.readAllBytes(path)
    val chunk = ParquetFixture.footer(file).getRow_groups.get(0).getColumns.get(0)
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    Seq(chunk.getColumn_index_offset, chunk.getOffset_index_offset).foreach { index =>
      val changed = file.clone()
      // The first field of both is a list: its size in place of what follows.
      Seq(0xff, 0xff, 0xff, 0xff, 0x07).zipWithIndex.foreach { case (byte, i) =>
        changed(index.toInt + 2 + i) = byte.toByte
      }
      changed(index.toInt + 1) = (changed(index.toInt + 1) | 0xf0).toByte
      Files.write(path, changed)
      val id = Thread.currentThread.getId
      val before = threads.getThreadAllocatedBytes(id)
      assert(kept() === all)
      assert(threads.getThreadAllocatedBytes(id) - before < 64 * 1024 * 1024)
    }
  }

  test("any byte of the indexes may be wrong") {
    write()
    val file = Files.readAllBytes(path)
    val chunk = ParquetFixture.footer(file).getRow_groups.get(0).getColumns.get(0)
    val from = chunk.getColumn_index_offset.toInt
    val until = (chunk.getOffset_index_offset + chunk.getOffset_index_length).toInt
    (from until until).foreach { at =>
      Seq(0x00, 0xff).foreach { byte =>
        val changed = file.clone()
        changed(at) = byte.toByte
        Files.write(path, changed)
        try assert(kept().subsetOf(all))
        catch { case e: VariantShreddedException => assert(e.condition === "CORRUPT_PARQUET_FILE") }
      }
    }
  }
}
