package io.github.variantshredded.read.pages

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.Path

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.{
  FileRows,
  MalformedFile,
  MalformedParquet,
  PageEdit,
  ParquetFixture
}
import io.github.variantshredded.testing.TemporaryFolder
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.format.{Encoding, PageHeader, PageType}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/**
 * Pages of dictionary ids that come after a page without: the format allows them, and Spark's
 * decoder gives the rows of the page without ids other values.
 */
class DictionaryPagesSuite extends AnyFunSuite with TemporaryFolder {

  private val Rows = 300

  /** The values of a row; none of the first page is the first one of the dictionary. */
  private def number(i: Int): Option[Int] =
    Option.when(i % 7 != 3)(if (i == 299) 5 else 1000 + i % 11)

  private def text(i: Int): Option[String] = number(i).map(n => "x" * (n % 4) + n)

  /** Longer than one batch of rows. */
  private def list(i: Int): Seq[Option[Int]] = Seq.tabulate(i % 40)(j => number(i + j))

  private def binary(text: String): Array[Byte] = {
    val bytes = text.getBytes
    ByteBuffer
      .allocate(4 + bytes.length)
      .order(ByteOrder.LITTLE_ENDIAN)
      .putInt(bytes.length)
      .put(bytes)
      .array
  }

  private def int32(number: Int): Array[Byte] =
    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(number).array

  private def int64(number: Long): Array[Byte] =
    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array

  private val schema = "message m { optional int32 n; optional int64 b; optional float f; " +
    "optional double d; optional binary s (STRING); " +
    "optional fixed_len_byte_array(12) big (DECIMAL(25,0)); " +
    "optional group l (LIST) { repeated group list { optional int32 element; } } " +
    "optional group t (LIST) { repeated group list { optional binary element (STRING); } } " +
    "optional group v (VARIANT(1)) { required binary metadata; optional binary value; " +
    "optional int64 typed_value; } }"

  private def fixed(n: Int): Array[Byte] =
    ByteBuffer.allocate(12).putInt(0).putLong(n.toLong).array

  private def row(i: Int): ParquetFixture.Row = {
    def elements[T](of: Seq[Option[T]]) =
      Map("list" -> of.map(_.fold(Map.empty[String, Any])(e => Map("element" -> e))))
    val flat = number(i).toSeq.flatMap { n =>
      Seq[(String, Any)](
        "n" -> n,
        "b" -> n.toLong,
        "f" -> n.toFloat,
        "d" -> n.toDouble,
        "s" -> text(i).get,
        "big" -> fixed(n),
        "v" -> Map[String, Any](
          "metadata" -> MalformedFile.emptyMetadata,
          "typed_value" -> n.toLong
        )
      )
    }
    (flat :+ ("l" -> elements(list(i))) :+
      ("t" -> elements(list(i).map(_.map(n => s"text $n"))))).toMap
  }

  /** Writes a file of dictionary pages, and replaces a page of each column by a plain one. */
  private def write(path: Path, v2: Boolean, page: Int): Unit = {
    ParquetFixture.write(
      path,
      schema,
      (0 until Rows).map(row),
      _.withPageWriteChecksumEnabled(false)
        .withDictionaryEncoding(true)
        .withPageRowCountLimit(100)
        .withMinRowCountForPageSizeCheck(1)
        .withWriterVersion(MalformedParquet.version(v2))
    )
    // Pages of version 1 have no ids for values of a fixed length.
    val rows = page * 100 until (page + 1) * 100
    val numbers = rows.flatMap(number)
    Seq[(String, Seq[Array[Byte]])](
      "n" -> numbers.map(int32),
      "b" -> numbers.map(n => int64(n.toLong)),
      "f" -> numbers.map(n => int32(java.lang.Float.floatToIntBits(n.toFloat))),
      "d" -> numbers.map(n => int64(java.lang.Double.doubleToLongBits(n.toDouble))),
      "s" -> rows.flatMap(text).map(binary),
      "big" -> numbers.map(fixed),
      "l.list.element" -> rows.flatMap(list).flatten.map(int32),
      "t.list.element" -> rows.flatMap(list).flatten.map(n => binary(s"text $n")),
      "v.typed_value" -> numbers.map(n => int64(n.toLong))
    ).filter(v2 || _._1 != "big").foreach { case (leaf, values) =>
      toPlain(path, leaf, page, values.toArray.flatten)
    }
  }

  private def toPlain(path: Path, leaf: String, page: Int, values: Array[Byte]): Unit = {
    var before = -1
    def isWanted(header: PageHeader) = {
      if (header.getType != PageType.DICTIONARY_PAGE) before += 1
      before == page && header.getType != PageType.DICTIONARY_PAGE
    }
    PageEdit.editPage(path, leaf, isWanted) { (header, body) =>
      val edited = body.take(levelBytes(header, body, leaf.contains(".list."))) ++ values
      if (header.isSetData_page_header_v2) {
        require(header.getData_page_header_v2.getEncoding == Encoding.RLE_DICTIONARY, leaf)
        header.getData_page_header_v2.setEncoding(Encoding.PLAIN)
      } else {
        require(header.getData_page_header.getEncoding == Encoding.PLAIN_DICTIONARY, leaf)
        header.getData_page_header.setEncoding(Encoding.PLAIN)
      }
      header.setCompressed_page_size(edited.length).setUncompressed_page_size(edited.length)
      edited
    }
  }

  private def levelBytes(header: PageHeader, body: Array[Byte], isRepeated: Boolean): Int =
    if (header.isSetData_page_header_v2) {
      val page = header.getData_page_header_v2
      page.getRepetition_levels_byte_length + page.getDefinition_levels_byte_length
    } else {
      def behind(at: Int) = at + 4 + ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt(at)
      if (isRepeated) behind(behind(0)) else behind(0)
    }

  private val columns =
    "n int, b bigint, f float, d double, s string, big decimal(25,0), l array<int>, t array<string>"

  for {
    v2 <- Seq(false, true)
    page <- Seq(0, 1)
    batch <- Seq(32, 100, 4096)
    offHeap <- Seq(false, true)
  } test(s"page $page is plain, v2 $v2, batches of $batch rows, off heap $offHeap") {
    val path = folder.resolve(s"$v2$page$batch$offHeap.parquet")
    write(path, v2, page)
    val options = FileRows.readSettings(strict = true, offHeap, batch)
    columns.split(", ").foreach { column =>
      val ddl = StructType.fromDDL(column)
      val dataType = ddl.head.dataType
      val found = FileRows.read(path, ddl, options) { row =>
        Option.unless(row.isNullAt(0))(row.get(0, dataType) match {
          case array: org.apache.spark.sql.catalyst.util.ArrayData =>
            val element = dataType.asInstanceOf[org.apache.spark.sql.types.ArrayType].elementType
            Seq.tabulate(array.numElements()) { i =>
              Option.unless(array.isNullAt(i))(array.get(i, element).toString)
            }
          case one => one.toString
        })
      }
      val expected = (0 until Rows).map { i =>
        column.split(' ').head match {
          case "l" => Some(list(i).map(_.map(_.toString)))
          case "t" => Some(list(i).map(_.map(n => s"text $n")))
          case "s" => text(i)
          case "f" => number(i).map(_.toFloat.toString)
          case "d" => number(i).map(_.toDouble.toString)
          case _   => number(i).map(_.toString)
        }
      }
      assert(found === expected, column)
    }
    val variants = FileRows.variants(path, "v", options)
    assert(variants === (0 until Rows).map(number(_).map(n => Int64(n.toLong))))
  }

  test("ids after a plain page of nulls are not converted, and give the same rows") {
    def value(i: Int) = if (i / 100 == 1) None else number(i)
    for {
      v2 <- Seq(false, true)
      batch <- Seq(32, 150, 4096)
    } {
      val path = folder.resolve(s"nulls-$v2$batch.parquet")
      ParquetFixture.write(
        path,
        "message m { optional int32 n; optional binary s (STRING); }",
        (0 until Rows).map { i =>
          value(i).fold(Map.empty[String, Any])(n => Map("n" -> n, "s" -> s"text $n"))
        },
        _.withPageWriteChecksumEnabled(false)
          .withDictionaryEncoding(true)
          .withPageRowCountLimit(100)
          .withMinRowCountForPageSizeCheck(1)
          .withWriterVersion(MalformedParquet.version(v2))
      )
      Seq("n", "s").foreach(toPlain(path, _, 1, Array.emptyByteArray))
      val options = FileRows.readSettings(strict = true, batchSize = batch)
      val found = FileRows.read(path, StructType.fromDDL("n int, s string"), options) { row =>
        Option.unless(row.isNullAt(0))(row.getInt(0) -> row.getUTF8String(1).toString)
      }
      assert(found === (0 until Rows).map(value(_).map(n => n -> s"text $n")))
    }
  }

  private def converted(dictionary: Seq[String], ids: String, count: Int): Array[Byte] = {
    val values = ByteBuffer.wrap(dictionary.toArray.flatMap(binary))
    val pages = new DictionaryPages(values, dictionary.size, width = 0)
    val page = ByteBuffer.wrap(ParquetFixture.bytes(s"aabb $ids"))
    val plain = pages.toPlain(page, 2, count)
    val bytes = new Array[Byte](plain.remaining)
    plain.get(bytes)
    bytes
  }

  test("the levels before the ids stay, and ids of no bits are zeros") {
    val levels = ParquetFixture.bytes("aabb")
    assert(converted(Seq("a", "bc"), "01 0401", 2) === levels ++ binary("bc") ++ binary("bc"))
    assert(converted(Seq("a"), "00", 3) === levels ++ binary("a") ++ binary("a") ++ binary("a"))
    assert(converted(Seq("a"), "", 0) === levels)
  }

  test("a page whose values would take too much memory is refused") {
    val error = intercept[VariantShreddedException](
      converted(Seq("x" * (1 << 20)), "01 8008 00", 512)
    )
    assert(error.condition === "UNSUPPORTED_PARQUET_FILE")
    assert(error.reason.contains("A page of 512 dictionary ids"))
  }
}
