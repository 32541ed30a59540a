package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.parquet.format.PageHeader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** A wrong level in a page without a checksum is an error, and shifts no row. */
class DamagedLevelsSuite extends AnyFunSuite with TemporaryFolder {

  private def settings(
      v2: Boolean
  )(builder: ExampleParquetWriter.Builder): ExampleParquetWriter.Builder = builder
    .withPageWriteChecksumEnabled(false)
    .withDictionaryEncoding(false)
    .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
    .withWriterVersion(MalformedParquet.version(v2))

  /** Changes bytes of the first page of a leaf column. */
  private def change(path: Path, leaf: String)(edit: Array[Byte] => Unit): Unit =
    PageEdit.editPage(path, leaf) { (_: PageHeader, body) =>
      edit(body)
      body
    }

  private def assertCorrupt(path: Path, columns: String, reason: String): Unit = for {
    size <- Seq(40, 4096)
    offHeap <- Seq(false, true)
  } {
    val options = FileRows.readSettings(strict = true, offHeap, size)
    val error = intercept[VariantShreddedException] {
      FileRows.read(path, StructType.fromDDL(columns), options)(_.copy())
    }
    assert(error.condition === "CORRUPT_PARQUET_FILE", error.getMessage)
    assert(error.reason === reason)
  }

  for {
    (encoding, leaf, ddl) <- Seq(
      ("DELTA_BINARY_PACKED", "int64 n", "n bigint"),
      ("DELTA_BYTE_ARRAY", "binary n (STRING)", "n string")
    )
  } test(s"levels that call nulls values are refused, encoding $encoding") {
    val path = folder.resolve(s"$encoding.parquet")
    val value: Int => Any = if (leaf.startsWith("int64")) _.toLong else i => s"value $i"
    // Levels 1, 100 times, then 0, ten times.
    ParquetFixture.write(
      path,
      s"message m { optional $leaf; }",
      (0 until 110).map(i => if (i < 100) Map("n" -> value(i)) else Map.empty[String, Any]),
      settings(v2 = true)
    )
    assert(FileRows.read(path, StructType.fromDDL(ddl))(_.isNullAt(0)).count(identity) === 10)
    change(path, "n") { body =>
      assert(body.take(5) === ParquetFixture.bytes("c801 01 1400"))
      body(4) = 1
    }
    assertCorrupt(path, ddl, "A page of 110 values has 100 delta-encoded values.")
  }

  private def numbers(i: Int): Seq[Int] = Seq.tabulate(if (i % 3 == 0) 2 else 1)(j => i + j)

  private val ints =
    "optional group tags (LIST) { repeated group list { optional int32 element; } }"
  private val array = "tags array<int>"
  private val number = "optional int32 a;"

  private def listed(i: Int): Any = Map("list" -> numbers(i).map(n => Map("element" -> n)))

  private val variants = "optional group v (VARIANT(1)) { required binary metadata; " +
    "optional binary value; optional group typed_value (LIST) { repeated group list { " +
    "required group element { optional binary value; optional int32 typed_value; } } } }"

  private def variant(i: Int): Any = Map[String, Any](
    "metadata" -> MalformedFile.emptyMetadata,
    "typed_value" -> Map(
      "list" -> numbers(i).map(n => Map("element" -> Map("typed_value" -> n)))
    )
  )

  // The levels of the first rows are 0 1, 0, 0, 0 1, 0, 0.
  for {
    (fields, columns, value, leaf) <- Seq(
      (s"$ints $number", s"$array, a int", ("tags", listed _), "tags.list.element"),
      (s"$number $ints", s"a int, $array", ("tags", listed _), "tags.list.element"),
      (
        s"$variants $number",
        "v variant, a int",
        ("v", variant _),
        "v.typed_value.list.element.typed_value"
      ),
      (
        s"$number $variants",
        "a int, v variant",
        ("v", variant _),
        "v.typed_value.list.element.typed_value"
      )
    )
    v2 <- Seq(false, true)
    // A row less, and a row more.
    (from, to) <- Seq(0 -> 1, 1 -> 0)
  } test(s"repetition level $from as $to in struct<$columns> is refused, v2 $v2") {
    val path = folder.resolve(s"${columns.filter(_.isLetter)}$v2$from.parquet")
    val rows = 60
    ParquetFixture.write(
      path,
      s"message m { optional group s { $fields } }",
      (0 until rows).map(i => Map("s" -> Map("a" -> i, value._1 -> value._2(i)))),
      settings(v2)
    )
    val ddl = s"s struct<$columns>"
    assert(FileRows.read(path, StructType.fromDDL(ddl))(_.isNullAt(0)) === Seq.fill(rows)(false))
    change(path, s"s.$leaf") { body =>
      // Packed levels of one bit, behind the header of the run.
      val first = if (v2) 1 else 5
      assert((body(first) & 0x3f) === 0x22)
      val level = if (from == 0) 3 else 1
      body(first) = (body(first) ^ (1 << level)).toByte
    }
    val found = rows + from - to
    assertCorrupt(path, ddl, s"A column chunk has $found rows in a row group of $rows rows.")
  }

  test("too many rows are refused although Spark does not read the last page") {
    val path = folder.resolve("surplus.parquet")
    val many = Map("list" -> (0 until 30).map(n => Map("element" -> n)))
    ParquetFixture.write(
      path,
      s"message m { optional group s { $ints $number } }",
      (0 until 3).map(i => Map("s" -> Map("a" -> i, "tags" -> (if (i == 0) many else listed(1))))),
      builder =>
        settings(v2 = false)(builder).withPageRowCountLimit(1).withMinRowCountForPageSizeCheck(1)
    )
    val ddl = s"s struct<$array, a int>"
    assert(FileRows.read(path, StructType.fromDDL(ddl))(_.isNullAt(0)) === Seq.fill(3)(false))
    change(path, "s.tags.list.element") { body =>
      // The level 0, seven levels 1 and a run of 22 levels 1, behind the length.
      assert(body.slice(4, 8) === ParquetFixture.bytes("03 fe 2c 01"))
      body(7) = 0
    }
    assertCorrupt(path, ddl, "A column chunk has at least 23 rows in a row group of 3 rows.")
  }

  for {
    leaf <- Seq("a", "b")
    (kind, set) <- Seq[(String, (PageHeader, Int) => Unit)](
      "definition" -> (_.getData_page_header_v2.setDefinition_levels_byte_length(_)),
      "repetition" -> (_.getData_page_header_v2.setRepetition_levels_byte_length(_))
    )
    bytes <- Seq(8, 1, -1)
  } test(s"$bytes bytes of $kind levels in a page of $leaf, which has none, are refused") {
    val path = folder.resolve(s"$leaf$kind$bytes.parquet")
    ParquetFixture.write(
      path,
      "message m { required double a; required double b; }",
      (0 until 100).map(i => Map("a" -> i.toDouble, "b" -> -i.toDouble)),
      builder =>
        settings(v2 = true)(builder)
          .withPageRowCountLimit(50)
          .withMinRowCountForPageSizeCheck(1)
    )
    PageEdit.editHeader(path, leaf)(set(_, bytes))
    if (bytes > 0) {
      assertCorrupt(
        path,
        "a double, b double",
        s"A page has $bytes bytes of $kind levels, but its column has no such levels."
      )
    } else {
      val error = intercept[VariantShreddedException] {
        FileRows.read(path, StructType.fromDDL("a double, b double"))(_.copy())
      }
      assert(error.condition === "CORRUPT_PARQUET_FILE", error.getMessage)
    }
  }

  for ((count, headers) <- Seq(100 -> "c801", 10 -> "05", 20 -> "2003"))
    test(s"headers of runs for $count levels that a column does not have are passed over") {
      val path = folder.resolve(s"headers$count.parquet")
      val rows = (0 until count).map(i => Map[String, Any]("a" -> -i.toDouble, "b" -> i))
      ParquetFixture.write(
        path,
        "message m { required double a; optional int32 b; }",
        rows,
        settings(v2 = true)
      )
      val bytes = ParquetFixture.bytes(headers)
      def insert(leaf: String, definition: Boolean): Unit =
        PageEdit.editPage(path, leaf) { (header, body) =>
          val page = header.getData_page_header_v2
          page.setRepetition_levels_byte_length(bytes.length)
          if (definition) page.setDefinition_levels_byte_length(bytes.length)
          val levels = if (definition) bytes ++ bytes else bytes
          header.setCompressed_page_size(header.getCompressed_page_size + levels.length)
          header.setUncompressed_page_size(header.getUncompressed_page_size + levels.length)
          levels ++ body
        }
      insert("a", definition = true)
      insert("b", definition = false)
      val read = FileRows.read(path, StructType.fromDDL("a double, b int")) { row =>
        Map[String, Any]("a" -> row.getDouble(0), "b" -> row.getInt(1))
      }
      assert(read === rows)
    }
}
