package io.github.variantshredded.read.pages.check

import java.nio.ByteBuffer

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.ParquetFixture
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.DataPageV1
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.{PrimitiveType, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{
  BINARY,
  BOOLEAN,
  FIXED_LEN_BYTE_ARRAY,
  INT32
}
import org.scalatest.funsuite.AnyFunSuite

/** What pages say of their own content has to be there. */
class PageCheckSuite extends AnyFunSuite {

  private val text = Types.optional(BINARY).named("s")
  private val flag = Types.optional(BOOLEAN).named("b")

  /** Levels of one bit that say that all of seven values, or four of seven, are there. */
  private val all = "02000000 0e01"
  private val four = "02000000 0369"

  private def check(
      leaf: PrimitiveType,
      encoding: Encoding,
      page: String,
      dictionary: Int = -1,
      definition: Int = 1
  ): Option[String] = {
    val pages = new PageCheck(columnOf(leaf, definition), prefixesCrossPages = false)
    reasonOf {
      if (dictionary >= 0) pages.dictionary(dictionary, ByteBuffer.allocate(4 * dictionary))
      check(pages, leaf, encoding, ParquetFixture.bytes(page))
    }
  }

  private def columnOf(leaf: PrimitiveType, definition: Int = 1) =
    new ColumnDescriptor(Array(leaf.getName), leaf, 0, definition)

  private def check(
      pages: PageCheck,
      leaf: PrimitiveType,
      encoding: Encoding,
      bytes: Array[Byte]
  ): Unit = {
    val statistics: Statistics[_] = Statistics.getBuilderForReading(leaf).build()
    val rle = Encoding.RLE
    val data =
      new DataPageV1(BytesInput.from(bytes), 7, bytes.length, statistics, rle, rle, encoding)
    val _ = pages.pageV1(data, ByteBuffer.wrap(bytes), rows = None)
  }

  /** What is wrong with the pages that `checks` looks at. */
  private def reasonOf(checks: => Unit): Option[String] =
    try {
      checks
      None
    } catch {
      case e: VariantShreddedException =>
        assert(e.condition === "CORRUPT_PARQUET_FILE")
        Some(e.reason)
    }

  private def ids(page: String, dictionary: Int): Option[String] =
    check(text, Encoding.RLE_DICTIONARY, page, dictionary)

  test("levels above the greatest of their column are refused") {
    def levels(page: String, greatest: Int) =
      check(text, Encoding.PLAIN, page, definition = greatest)
    def reason(value: Int, greatest: Int) =
      Some(s"Value $value of a page has a level above $greatest, the maximum of its column.")
    assert(levels("02000000 0e01", 1) === None)
    assert(levels("02000000 0e02", 1) === reason(0, 1))
    assert(levels("02000000 0e02", 2) === None)
    assert(levels("02000000 0e03", 2) === reason(0, 2))
    // 0, 1, 2, 0, 0, 0, and 2 or 3; behind these seven stands a 3.
    assert(levels("03000000 03 24e0", 2) === None)
    assert(levels("03000000 03 24f0", 2) === reason(6, 2))
    // Bytes behind the last level are not looked at.
    assert(levels("04000000 0e02 0bff", 2) === None)
  }

  test("fewer dictionary ids than values are refused") {
    assert(ids(s"$all 02 0e00", 3) === None)
    assert(ids(s"$all 02 0c00", 3) === Some("A page of 7 values has 6 dictionary ids."))
    assert(ids(s"$all 02", 3) === Some("A page of 7 values has 0 dictionary ids."))
    assert(ids(all, 3) === Some("A page of 7 values has 0 dictionary ids."))
  }

  test("nulls have no dictionary id") {
    assert(ids(s"$four 02 0800", 3) === None)
    assert(ids(s"$four 02 0600", 3) === Some("A page of 4 values has 3 dictionary ids."))
  }

  test("an id that the dictionary does not have is refused") {
    val reason = Some("A page has an id that is not in the dictionary of 3 values.")
    assert(ids(s"$all 02 0e02", 3) === None)
    assert(ids(s"$all 02 0e03", 3) === reason)
    // 0, 1, 2, 0, 0, 0, and 2 or 3.
    assert(ids(s"$all 02 03 2420", 3) === None)
    assert(ids(s"$all 02 03 2430", 3) === reason)
    assert(ids(s"$all 20 0e ffffffff", 3) === reason)
    // Repeated ids of two bits, in a byte that has room for more.
    assert(
      ids(s"$all 02 0e04", 4) === Some(
        "A page has an id that is not in the dictionary of 4 values."
      )
    )
  }

  test("ids of no bits need a dictionary of one value") {
    assert(ids(s"$all 00", 1) === None)
    assert(
      ids(s"$all 00", 0) === Some("A page has an id that is not in the dictionary of 0 values.")
    )
    assert(ids("02000000 0e00 00", 0) === None)
  }

  test("what stands behind the last id is not looked at") {
    assert(ids(s"$all 02 03 24e0", 3) === None)
    assert(ids(s"$four 02 03 24f0", 3) === None)
    Seq("00", "000000", "03", "ffffffffffff").foreach { padding =>
      assert(ids(s"$all 02 0e00 $padding", 3) === None)
      assert(ids(s"$four 02 0800 $padding", 3) === None)
      assert(ids(s"02000000 0e00 02 $padding", 3) === None)
    }
    assert(
      ids(s"$four 02 0803 00", 3) ===
        Some("A page has an id that is not in the dictionary of 3 values.")
    )
    assert(ids(s"$four 02 0600 00", 3).isDefined)
  }

  test("fewer booleans than values are refused") {
    def booleans(page: String) = check(flag, Encoding.RLE, page)
    assert(booleans(s"$all 02000000 0e01") === None)
    assert(booleans(s"$all 02000000 0c01") === Some("A page of 7 values has 6 booleans."))
    assert(booleans(s"$all 00000000") === Some("A page of 7 values has 0 booleans."))
    assert(booleans(s"$four 02000000 0801") === None)
    assert(booleans(s"$four 02000000 0601") === Some("A page of 4 values has 3 booleans."))
  }

  test("a run without values is refused, unless it is behind the last value") {
    // Four ids, no ids, three ids. The value of a run is there even if the run has none.
    assert(ids(s"$all 02 0801 0002 0602", 3) === Some("A page of 7 values has 4 dictionary ids."))
    assert(ids(s"$all 02 0801 01 0602", 3) === Some("A page of 7 values has 4 dictionary ids."))
    assert(ids(s"$all 02 0802 0601 0002 0602", 3) === None)
    assert(ids(s"$four 02 0802 0001 0601", 3) === None)
    val levels = Some("A page of 7 values has 4 levels.")
    val numbers = ParquetFixture.delta(0 until 7).map(byte => f"$byte%02x").mkString
    val int = Types.optional(INT32).named("n")
    def delta(levels: String) = check(int, Encoding.DELTA_BINARY_PACKED, s"$levels $numbers")
    assert(delta("04000000 0801 0601") === None)
    assert(delta("06000000 0001 0801 0601") === Some("A page of 7 values has 0 levels."))
    assert(delta("06000000 0801 0001 0601") === levels)
    assert(delta("06000000 0801 0000 0601") === levels)
    assert(delta("06000000 0801 0601 0001") === None)
    def booleans(page: String) = check(flag, Encoding.RLE, page)
    val reason = Some("A page of 7 values has 4 booleans.")
    assert(booleans(s"$all 06000000 0801 0001 0601") === reason)
    assert(booleans(s"$all 06000000 0801 0601 0001") === None)
  }

  test("fewer delta-encoded values than levels that are not null are refused") {
    val int = Types.optional(INT32).named("n")
    def numbers(count: Int) = ParquetFixture.delta(0 until count)
    def lengths(count: Int) = ParquetFixture.delta(Seq.fill(count)(1))
    def none(count: Int) = ParquetFixture.delta(Seq.fill(count)(0))
    def page(leaf: PrimitiveType, encoding: Encoding, levels: String, values: Array[Byte]) =
      reasonOf {
        val pages = new PageCheck(columnOf(leaf), prefixesCrossPages = false)
        check(pages, leaf, encoding, ParquetFixture.bytes(levels) ++ values)
      }
    Seq[(PrimitiveType, Encoding, Int => Array[Byte])](
      (int, Encoding.DELTA_BINARY_PACKED, numbers),
      (text, Encoding.DELTA_LENGTH_BYTE_ARRAY, n => lengths(n) ++ new Array[Byte](n)),
      (text, Encoding.DELTA_BYTE_ARRAY, n => none(n) ++ lengths(n) ++ new Array[Byte](n))
    ).foreach { case (leaf, encoding, values) =>
      def reason(needed: Int, found: Int) =
        Some(s"A page of $needed values has $found delta-encoded values.")
      assert(page(leaf, encoding, all, values(7)) === None, encoding)
      assert(page(leaf, encoding, all, values(6)) === reason(7, 6), encoding)
      assert(page(leaf, encoding, all, values(0)) === reason(7, 0), encoding)
      assert(page(leaf, encoding, four, values(4)) === None, encoding)
      assert(page(leaf, encoding, four, values(3)) === reason(4, 3), encoding)
      assert(page(leaf, encoding, "02000000 0e00", values(0)) === None, encoding)
    }
  }

  /** A page in `DELTA_BYTE_ARRAY` by the lengths of prefixes and suffixes. */
  private def stringPage(prefixes: Seq[Int], suffixes: Seq[Int], bytes: Int): Array[Byte] = {
    import ParquetFixture.delta
    // Of the seven values, as many are not null.
    val levels = f"02000000 03 ${(1 << prefixes.size) - 1}%02x"
    ParquetFixture.bytes(levels) ++ delta(prefixes) ++ delta(suffixes) ++ new Array[Byte](bytes)
  }

  /** What is wrong with a page of strings by the lengths of their prefixes and suffixes. */
  private def strings(
      prefixes: Seq[Int],
      suffixes: Seq[Int],
      bytes: Int,
      before: Option[Int] = None
  ): Option[String] = {
    val pages = new PageCheck(columnOf(text), prefixesCrossPages = before.isDefined)
    def checked(bytes: Array[Byte]) = check(pages, text, Encoding.DELTA_BYTE_ARRAY, bytes)
    reasonOf {
      before.foreach(size => checked(stringPage(Seq(0), Seq(size), size)))
      checked(stringPage(prefixes, suffixes, bytes))
    }
  }

  test("strings with prefixes that the string before does not have are refused") {
    assert(strings(Seq(0, 3, 4), Seq(3, 1, 0), 4) === None)
    assert(
      strings(Seq(0, 3, 5), Seq(3, 1, 0), 4) === Some(
        "Value 2 of a page claims a prefix of 5 bytes, but the value before it has 4 bytes."
      )
    )
    assert(
      strings(Seq(0, -1), Seq(3, 1), 4) === Some(
        "Value 1 of a page claims a prefix of -1 bytes, but the value before it has 3 bytes."
      )
    )
    assert(
      strings(Seq(0, 656877350), Seq(3, 1), 4) === Some(
        "Value 1 of a page claims a prefix of 656877350 bytes, but the value before it has 3 bytes."
      )
    )
  }

  test("values of another length than their type has are refused") {
    val type4 = Types.optional(FIXED_LEN_BYTE_ARRAY).length(4).named("f")
    def fixed(prefixes: Seq[Int], suffixes: Seq[Int]) = reasonOf {
      check(
        new PageCheck(columnOf(type4), prefixesCrossPages = false),
        type4,
        Encoding.DELTA_BYTE_ARRAY,
        stringPage(prefixes, suffixes, suffixes.sum)
      )
    }
    assert(fixed(Seq(0, 3), Seq(4, 1)) === None)
    assert(
      fixed(Seq(0, 3), Seq(4, 2)) === Some(
        "A value has 5 bytes, but the column has values of 4 bytes."
      )
    )
    assert(
      fixed(Seq(0, 0), Seq(4, 3)) === Some(
        "A value has 3 bytes, but the column has values of 4 bytes."
      )
    )
  }

  test("strings with suffixes that are not in the page are refused") {
    assert(
      strings(Seq(0, 3), Seq(3, 1), 3) === Some(
        "Value 1 of a page claims a suffix of 1 bytes, but 0 bytes are left."
      )
    )
    assert(
      strings(Seq(0, 3), Seq(3, -1), 3) === Some(
        "Value 1 of a page claims a suffix of -1 bytes, but 0 bytes are left."
      )
    )
    assert(
      strings(Seq(0, 3), Seq(3), 3) === Some(
        "A page has 2 prefix lengths, but 1 suffix lengths."
      )
    )
  }

  test("strings whose bytes are not in the page are refused") {
    def lengths(bytes: Int, of: Int*) = reasonOf {
      val levels = ParquetFixture.bytes(f"02000000 03 ${(1 << of.size) - 1}%02x")
      val page = levels ++ ParquetFixture.delta(of) ++ new Array[Byte](bytes)
      val pages = new PageCheck(columnOf(text), prefixesCrossPages = false)
      check(pages, text, Encoding.DELTA_LENGTH_BYTE_ARRAY, page)
    }
    def reason(value: Int, claimed: Int, left: Int) =
      Some(s"Value $value of a page claims $claimed bytes, but $left bytes are left.")
    assert(lengths(0) === None)
    assert(lengths(5, 2, 0, 3) === None)
    assert(lengths(6, 2, 0, 3) === None, "bytes behind the last value")
    assert(lengths(4, 2, 0, 3) === reason(2, 3, 2))
    assert(lengths(4, 2, Int.MaxValue) === reason(1, Int.MaxValue, 2))
    assert(lengths(4, 1, -1) === reason(1, -1, 3))
    assert(lengths(4, -5) === reason(0, -5, 4))
  }

  test("delta-encoded numbers are read as they were written") {
    val random = new scala.util.Random(3)
    for {
      size <- Seq(1, 2, 8, 9, 32, 33, 128, 129, 130, 1000)
      range <- Seq(1, 2, 100, Int.MaxValue)
      direct <- Seq(false, true)
    } {
      val numbers = Seq.fill(size)(random.nextInt(range) - range / 3)
      val bytes = ParquetFixture.delta(numbers)
      val buffer =
        if (direct) ByteBuffer.allocateDirect(bytes.length).put(bytes).flip()
        else ByteBuffer.wrap(Array[Byte](0) ++ bytes, 1, bytes.length).slice()
      val read = new DeltaNumbers(buffer)
      assert(Seq.fill(size)(read.next().toInt) === numbers)
    }
  }

  test("delta-encoded numbers in blocks of no numbers are refused, even if there are none") {
    val int = Types.optional(INT32).named("n")
    val none = "02000000 0e00"
    val one = "02000000 0301"
    def reason(total: Int) = Some(
      s"A page of 7 values claims $total delta-encoded values in blocks of 0 values and " +
        s"${Int.MaxValue} miniblocks."
    )
    for {
      (levels, total) <- Seq(none -> 0, one -> 1)
      numbers = s"00 ffffffff07 0$total 00"
      (leaf, encoding) <- Seq(
        int -> Encoding.DELTA_BINARY_PACKED,
        text -> Encoding.DELTA_LENGTH_BYTE_ARRAY,
        text -> Encoding.DELTA_BYTE_ARRAY
      )
    } assert(check(leaf, encoding, s"$levels $numbers $numbers") === reason(total), encoding)
  }

  test("the first string of a page may have a prefix only where the writer is an old one") {
    assert(
      strings(Seq(2), Seq(1), 1) === Some(
        "Value 0 of a page claims a prefix of 2 bytes, but the value before it has 0 bytes."
      )
    )
    assert(strings(Seq(2), Seq(1), 1, before = Some(2)) === None)
    assert(
      strings(Seq(3), Seq(1), 1, before = Some(2)) === Some(
        "Value 0 of a page claims a prefix of 3 bytes, but the value before it has 2 bytes."
      )
    )
  }

  /** A run of packed numbers, filled up with the greatest number to a multiple of eight. */
  private def packed(width: Int, numbers: Seq[Int]): Array[Byte] = {
    val all = numbers ++ Seq.fill((8 - numbers.size % 8) % 8)((1 << width) - 1)
    val bits = for (number <- all; bit <- 0 until width) yield number >>> bit & 1
    val bytes = bits.grouped(8).map(_.zipWithIndex.map { case (b, i) => b << i }.sum.toByte)
    val groups = all.size / 8
    (groups << 1 | 1).toByte +: bytes.toArray
  }

  private val counts = Seq(1, 4, 7, 8, 9, 40, 63, 100, 256)

  test("levels are counted whatever their width is") {
    val rng = new scala.util.Random(7)
    for {
      width <- 1 to 20
      size <- counts
      behind <- Seq(0, 9)
    } {
      val numbers = Vector.fill(size)(rng.nextInt(1 << math.min(width, 2)))
      val page = packed(width, numbers) ++ Array.fill(behind)(-1: Byte)
      (0 until (1 << math.min(width, 2))).foreach { wanted =>
        val found = new HybridRuns(width).countOf(ByteBuffer.wrap(page), wanted, size)
        assert(found === numbers.count(_ == wanted), s"width $width, $size values")
      }
    }
  }

  test("the first id that is too great is found whatever the width of ids is") {
    val rng = new scala.util.Random(8)
    for {
      width <- 1 to 20
      size <- counts
      bound <- Seq(1, 1 << (width - 1), (1 << width) - 1, rng.nextInt((1 << width) - 1) + 1)
    } {
      val known = Vector.fill(size / 8 * 8)(rng.nextInt(bound))
      val runs = new HybridRuns(width)
      assert(runs.firstFrom(ByteBuffer.wrap(packed(width, known)), bound) === -1)
      known.indices.filter(i => i % 37 == 0 || i >= known.size - 2).foreach { index =>
        val page = packed(width, known.updated(index, bound + rng.nextInt((1 << width) - bound)))
        val found = runs.firstFrom(ByteBuffer.wrap(page), bound)
        assert(found === index, s"width $width, $size values, bound $bound")
      }
    }
  }
}
