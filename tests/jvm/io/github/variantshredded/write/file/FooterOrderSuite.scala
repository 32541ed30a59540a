package io.github.variantshredded.write.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.Files
import java.util.Arrays

import scala.jdk.CollectionConverters._

import io.github.variantshredded.variant.LittleEndian
import io.github.variantshredded.write.WriteSuite
import org.apache.parquet.format._
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

class FooterOrderSuite extends WriteSuite {

  private final class InMemory extends OutputFile {
    val bytes = new ByteArrayOutputStream

    override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
      override def getPos: Long = bytes.size.toLong
      override def write(byte: Int): Unit = bytes.write(byte)
      override def write(source: Array[Byte], offset: Int, length: Int): Unit =
        bytes.write(source, offset, length)
    }

    override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
      create(blockSizeHint)
    override def supportsBlockSize: Boolean = false
    override def defaultBlockSize: Long = 0
  }

  private def footer(encodings: Encoding*): FileMetaData = {
    val chunk = new ColumnMetaData(
      Type.INT32,
      new java.util.ArrayList(Arrays.asList(encodings: _*)),
      Arrays.asList("a"),
      CompressionCodec.SNAPPY,
      1,
      2,
      3,
      4
    )
    val column = new ColumnChunk(4)
    column.setMeta_data(chunk)
    val group = new RowGroup(Arrays.asList(column), 2, 1)
    new FileMetaData(1, Arrays.asList(new SchemaElement("root")), 1, Arrays.asList(group))
  }

  private def serialized(footer: FileMetaData): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, out)
    val bytes = out.toByteArray
    val trailer = new Array[Byte](4)
    LittleEndian.putInt(trailer, 0, bytes.length)
    bytes ++ trailer ++ "PAR1".getBytes
  }

  /** What the file has after `before` and, held back, the rest; by writes of `step` bytes. */
  private def result(before: Array[Byte], rest: Array[Byte], step: Int, maxHeld: Int) = {
    val memory = new InMemory
    val file = new FooterOrder(memory, maxHeld)
    val out = file.create(0)
    out.write(before)
    file.holdEnd()
    rest.grouped(step).zipWithIndex.foreach { case (part, i) =>
      if (part.length == 1 && i % 2 == 0) out.write(part(0).toInt) else out.write(part)
    }
    assert(out.getPos === before.length + rest.length)
    out.close()
    assert(out.getPos === before.length + rest.length)
    memory.bytes.toByteArray.toSeq
  }

  private val unordered = serialized(footer(Encoding.BIT_PACKED, Encoding.PLAIN, Encoding.RLE))
  private val ordered = serialized(footer(Encoding.PLAIN, Encoding.RLE, Encoding.BIT_PACKED))
  private val pages = Array.tabulate[Byte](1000)(_.toByte)

  test("encodings come in the order of their numbers, all else stays") {
    assert(unordered.toSeq !== ordered.toSeq)
    for {
      step <- Seq(1, 7, 300, 100000)
      maxHeld <- Seq(2 * ordered.length, 500, FooterOrder.MaxHeld)
      indexes <- Seq(0, 1, 700)
    } {
      val end = pages.take(indexes)
      assert(result(pages, end ++ unordered, step, maxHeld) === (pages ++ end ++ ordered).toSeq)
    }
  }

  test("a footer that is too long is left as it is, and so is what is none") {
    val end = pages ++ unordered
    assert(result(pages, end, step = 5, maxHeld = 40) === (pages ++ end).toSeq)
    Seq(0, 3, 8, 100).foreach { length =>
      val none = Array.fill[Byte](length)(-1)
      assert(result(pages, none, step = 9, FooterOrder.MaxHeld) === (pages ++ none).toSeq)
    }
  }

  test("files have their encodings in order") {
    val df = spark
      .range(100)
      .selectExpr(
        "parse_json(to_json(named_struct('a', id, 'b', 'x', 'c', named_struct('d', id / 7)))) AS v",
        "id"
      )
    val bytes = Files.readAllBytes(onlyFile(written(df.coalesce(1))))
    val lengthAt = bytes.length - 8
    val length = LittleEndian.getInt(bytes, lengthAt)
    val read = Util.readFileMetaData(new ByteArrayInputStream(bytes, lengthAt - length, length))
    val encodings = for {
      group <- read.getRow_groups.asScala
      column <- group.getColumns.asScala
    } yield column.getMeta_data.getEncodings.asScala.map(_.getValue).toSeq
    assert(encodings.size > 5)
    assert(encodings.forall(list => list === list.sorted))
  }
}
