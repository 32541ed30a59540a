package io.github.variantshredded.read.pages.check

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.format._
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Sizes and counts of page headers against those that parquet-java's parser finds. */
class PageCountsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private val number = Gen.oneOf(Gen.choose(Int.MinValue, Int.MaxValue), Gen.choose(-3, 70000))
  private val flag = Gen.oneOf(true, false)
  private val bytes = Gen.listOf(Gen.choose(Byte.MinValue, Byte.MaxValue)).map(_.toArray)

  private def set[T](gen: Gen[T])(put: T => Unit): Gen[Unit] =
    Gen.option(gen).map(_.foreach(put))

  private val statistics = {
    val made = new Statistics
    Gen
      .sequence[Seq[Unit], Unit](
        Seq(
          set(bytes)(made.setMin(_)),
          set(bytes)(made.setMax_value(_)),
          set(number)(n => made.setNull_count(n.toLong << 20)),
          set(flag)(made.setIs_max_value_exact(_))
        )
      )
      .map(_ => made.deepCopy())
  }

  private val version1 = for {
    values <- number
    statistics <- Gen.option(statistics)
  } yield {
    val page = new DataPageHeader(values, Encoding.PLAIN, Encoding.RLE, Encoding.RLE)
    statistics.foreach(page.setStatistics(_))
    page
  }

  private val version2 = for {
    counts <- Gen.listOfN(5, number)
    statistics <- Gen.option(statistics)
    compressed <- Gen.option(flag)
  } yield {
    val page = new DataPageHeaderV2(
      counts(0),
      counts(1),
      counts(2),
      Encoding.PLAIN,
      counts(3),
      counts(4)
    )
    compressed.foreach(page.setIs_compressed(_))
    statistics.foreach(page.setStatistics(_))
    page
  }

  private val header: Gen[PageHeader] = for {
    kind <- Gen.oneOf(PageType.values.toSeq)
    // parquet-java refuses a negative one.
    sizes <- Gen.listOfN(2, Gen.choose(0, Int.MaxValue))
    crc <- Gen.option(number)
    // A header may have the fields of another type than its own.
    has1 <- Gen.frequency(9 -> Gen.const(kind == PageType.DATA_PAGE), 1 -> flag)
    has2 <- Gen.frequency(9 -> Gen.const(kind == PageType.DATA_PAGE_V2), 1 -> flag)
    hasDictionary <- Gen.frequency(9 -> Gen.const(kind == PageType.DICTIONARY_PAGE), 1 -> flag)
    page1 <- version1
    page2 <- version2
    sorted <- Gen.option(flag)
  } yield {
    val header = new PageHeader(kind, sizes(0), sizes(1))
    crc.foreach(header.setCrc(_))
    if (has1) header.setData_page_header(page1)
    if (has2) header.setData_page_header_v2(page2)
    if (hasDictionary) {
      val dictionary = new DictionaryPageHeader(sizes(0), Encoding.PLAIN)
      sorted.foreach(dictionary.setIs_sorted(_))
      header.setDictionary_page_header(dictionary)
    }
    if (kind == PageType.INDEX_PAGE) header.setIndex_page_header(new IndexPageHeader)
    header
  }

  private def written(header: PageHeader): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writePageHeader(header, out)
    out.toByteArray
  }

  private def stream(bytes: Array[Byte], cuts: Seq[Int]): ByteBufferInputStream = {
    val bounds = (0 +: cuts.map(_ % (bytes.length + 1)).sorted :+ bytes.length).distinct
    val parts = bounds.zip(bounds.tail).map { case (from, until) =>
      ByteBuffer.wrap(bytes, from, until - from).slice()
    }
    ByteBufferInputStream.wrap(parts.asJava)
  }

  private def values(header: PageHeader): Int =
    if (header.getType == PageType.DATA_PAGE_V2 && header.isSetData_page_header_v2) {
      header.getData_page_header_v2.getNum_values
    } else if (header.isSetData_page_header) header.getData_page_header.getNum_values
    else 0

  private val cuts = Gen.listOf(Gen.choose(0, 500))
  private val trailer = Gen.listOf(Gen.choose(Byte.MinValue, Byte.MaxValue)).map(_.toArray)

  test("sizes and counts, and the offset behind the header") {
    forAll(header, cuts, trailer) { (header, cuts, trailer) =>
      val bytes = written(header)
      val in = stream(bytes ++ trailer, cuts)
      val counts = new PageCounts
      counts.read(in)
      assert(in.position() === bytes.length)
      assert(counts.compressedSize === header.getCompressed_page_size)
      assert(counts.values === values(header))
      val isVersion2 =
        header.getType == PageType.DATA_PAGE_V2 && header.isSetData_page_header_v2
      val levels = Option.when(isVersion2)(header.getData_page_header_v2)
      assert(counts.repetitionBytes === levels.fold(0)(_.getRepetition_levels_byte_length))
      assert(counts.definitionBytes === levels.fold(0)(_.getDefinition_levels_byte_length))
    }
  }

  test("no beginning of a header is taken for one") {
    forAll(header, cuts) { (header, cuts) =>
      val bytes = written(header)
      (1 until bytes.length).foreach { length =>
        intercept[IOException](new PageCounts().read(stream(bytes.take(length), cuts)))
      }
    }
  }

  test("what parquet-java reads of changed bytes is read alike") {
    forAll(header, Gen.choose(0, 1000), Gen.choose(Byte.MinValue, Byte.MaxValue)) {
      (header, at, byte) =>
        val bytes = written(header)
        bytes(at % bytes.length) = byte
        val all = bytes ++ new Array[Byte](64)
        val in = stream(all, Nil)
        val known =
          try Some(Util.readPageHeader(in))
          catch {
            case _: IOException | _: InvalidParquetMetadataException | _: NullPointerException =>
              None
          }
        known.foreach { found =>
          val own = stream(all, Nil)
          val counts = new PageCounts
          counts.read(own)
          assert(counts.compressedSize === found.getCompressed_page_size)
          assert(counts.values === values(found))
          assert(own.position() === in.position())
        }
    }
  }
}
