package io.github.variantshredded.read.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.parquet.bytes.BytesUtils
import org.apache.parquet.format.{
  BoundaryOrder,
  ColumnIndex,
  DataPageHeader,
  Encoding,
  OffsetIndex,
  PageHeader,
  PageLocation,
  PageType,
  Util
}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Pages of lists that begin within a row, with an offset index, as some writers wrote them. */
class RowsAcrossPagesSuite extends AnyFunSuite with TemporaryFolder {

  private val schema = StructType.fromDDL("id bigint, tags array<string>")

  private val lists = Seq("abc", "defx", "g", "h").map(_.map(_.toString))

  /** The repetition levels and the values of each page. */
  private val pages = Seq(Seq(0, 1, 1, 0, 1) -> "abcde", Seq(1, 1, 0) -> "fxg", Seq(0) -> "h")

  private val firstRows = Seq(0L, 2L, 3L)

  /** Levels in runs of one. */
  private def levels(of: Seq[Int]): Array[Byte] = {
    val runs = of.flatMap(level => Seq(2.toByte, level.toByte)).toArray
    Array(runs.length.toByte, 0.toByte, 0.toByte, 0.toByte) ++ runs
  }

  private def page(repetition: Seq[Int], values: String): Array[Byte] = {
    val body = new ByteArrayOutputStream
    body.writeBytes(levels(repetition))
    // Optional list, optional element.
    body.writeBytes(levels(repetition.map(_ => 3)))
    values.foreach { value =>
      BytesUtils.writeIntLittleEndian(body, 1)
      body.write(value.toInt)
    }
    val header = new PageHeader(PageType.DATA_PAGE, body.size, body.size)
    header.setData_page_header(
      new DataPageHeader(repetition.size, Encoding.PLAIN, Encoding.RLE, Encoding.RLE)
    )
    val out = new ByteArrayOutputStream
    Util.writePageHeader(header, out)
    out.writeBytes(body.toByteArray)
    out.toByteArray
  }

  private def bounds(of: String => Char) =
    pages.map { case (_, values) => ByteBuffer.wrap(Array(of(values).toByte)) }.asJava

  /** Four rows, each in a page of its own in the column `id`. */
  private def write(writer: String): Path = {
    val path = Files.createTempFile(folder, "lists", ".parquet")
    Files.delete(path)
    ParquetFixture.write(
      path,
      "message m { optional int64 id; optional group tags (LIST) { " +
        "repeated group list { optional binary element (STRING); } } }",
      lists.zipWithIndex.map { case (tags, id) =>
        Map("id" -> id.toLong, "tags" -> Map("list" -> tags.map(tag => Map("element" -> tag))))
      },
      _.withPageRowCountLimit(1)
        .withMinRowCountForPageSizeCheck(1)
        .withDictionaryEncoding(false)
        .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
    )
    val file = Files.readAllBytes(path)
    val footer = ParquetFixture.footer(file)
    val chunks = footer.getRow_groups.get(0).getColumns
    val (id, tags) = (chunks.get(0), chunks.get(1))
    val start = tags.getMeta_data.getData_page_offset
    val made = pages.map { case (repetition, values) => page(repetition, values) }
    val offsets = made.scanLeft(start)(_ + _.length)
    val size = offsets.last - start
    tags.getMeta_data.setTotal_compressed_size(size).setTotal_uncompressed_size(size)

    val out = new ByteArrayOutputStream
    out.write(file, 0, start.toInt)
    made.foreach(out.writeBytes(_))
    val idIndex = Util.readOffsetIndex(
      new ByteArrayInputStream(file, id.getOffset_index_offset.toInt, file.length)
    )
    val tagsIndex = new OffsetIndex(
      made.indices
        .map(i => new PageLocation(offsets(i), made(i).length, firstRows(i)))
        .asJava
    )
    Seq(id -> idIndex, tags -> tagsIndex).foreach { case (chunk, index) =>
      chunk.setOffset_index_offset(out.size.toLong)
      Util.writeOffsetIndex(index, out)
      chunk.setOffset_index_length(out.size - chunk.getOffset_index_offset.toInt)
      chunk.unsetColumn_index_offset()
      chunk.unsetColumn_index_length()
    }
    val columnIndex = new ColumnIndex(
      pages.map(_ => java.lang.Boolean.FALSE).asJava,
      bounds(_.min),
      bounds(_.max),
      BoundaryOrder.UNORDERED
    )
    columnIndex.setNull_counts(pages.map(_ => java.lang.Long.valueOf(0)).asJava)
    tags.setColumn_index_offset(out.size.toLong)
    Util.writeColumnIndex(columnIndex, out)
    tags.setColumn_index_length(out.size - tags.getColumn_index_offset.toInt)
    footer.setCreated_by(writer)
    Files.write(path, ParquetFixture.assemble(out.toByteArray, footer))
  }

  private val attributes = schema.map(field => AttributeReference(field.name, field.dataType)())
  private val (id, list) = (attributes.head, attributes.last)

  private def is(row: Long): Expression = EqualTo(id, Literal(row))

  private def contains(tag: String): Expression =
    ArrayContains(list, Literal(UTF8String.fromString(tag), StringType))

  /** The rows that a scan keeps, by id. */
  private def read(path: Path, condition: Option[Expression]): Map[Long, Seq[String]] = {
    val pushed = Conjuncts.of(condition.toSeq, schema).pushed
    assert(pushed.size === condition.size)
    FileRows
      .read(path, schema, conjuncts = pushed) { row =>
        val found = row.getArray(1).toArray[UTF8String](StringType).map(_.toString).toSeq
        row.getLong(0) -> found
      }
      .toMap
  }

  private val all = lists.indices.map(_.toLong).zip(lists).toMap

  for (writer <- Seq("parquet-go version 18.7.0", "parquet-rs version 40.0.0", "hyparquet")) {
    test(s"rows that are in two pages are read as they are, by $writer") {
      val path = write(writer)
      assert(read(path, None) === all)
      all.foreach { case (row, tags) =>
        assert(read(path, Some(is(row))).get(row) === Some(tags), s"row $row")
      }
      assert(read(path, Some(GreaterThan(id, Literal(1L)))).keySet.contains(2L))
    }

    test(s"array_contains finds elements in the second page of a row, by $writer") {
      val path = write(writer)
      "abcdefxgh".foreach { tag =>
        val found = read(path, Some(contains(tag.toString))).filter(_._2.contains(tag.toString))
        assert(found === all.filter(_._2.contains(tag.toString)), s"tag $tag")
      }
    }
  }

  test("a page that begins within a row is refused where an offset index selects it") {
    val path = write("other version 1.0.0")
    assert(read(path, None) === all)
    Seq(is(2), contains("x"), GreaterThan(id, Literal(1L))).foreach { condition =>
      val error = intercept[VariantShreddedException](read(path, Some(condition)))
      assert(error.condition === "CORRUPT_PARQUET_FILE")
      assert(error.reason === "A page that was selected by an offset index begins within a row.")
      assert(error.location.column === Some("tags.list.element"))
    }
    assert(read(path, Some(is(3))).get(3) === all.get(3))
  }
}
