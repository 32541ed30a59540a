package io.github.variantshredded.read.pages

import java.io.EOFException
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import com.sun.management.ThreadMXBean
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.{FileRows, MalformedParquet, PageEdit, ParquetFixture}
import io.github.variantshredded.read.pages.check.PageHeaderCheck
import io.github.variantshredded.testing.{LocalParquet, MemoryInput}
import org.apache.hadoop.fs.FSDataInputStream
import org.apache.parquet.format.PageHeader
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.util.HadoopStreams
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

/** The last chunk that is read of a row group: pages beyond its end. */
class ChunkStreamSuite extends AnyFunSuite with BeforeAndAfterEach {
  private val path = Files.createTempFile("chunks", ".parquet")

  override protected def afterEach(): Unit = Files.deleteIfExists(path): Unit

  private val columns = StructType.fromDDL("id bigint, name string")

  private def write(v2: Boolean, dictionaries: Boolean): Unit = {
    Files.deleteIfExists(path)
    ParquetFixture.write(
      path,
      "message m { optional int64 id; optional binary name (STRING); }",
      (0 until 500).map(i => Map("id" -> i.toLong, "name" -> s"name ${i % 7}")),
      _.withRowGroupRowCountLimit(200)
        .withPageRowCountLimit(30)
        .withMinRowCountForPageSizeCheck(1)
        .withDictionaryEncoding(dictionaries)
        .withWriterVersion(MalformedParquet.version(v2))
    )
  }

  private def read(vectored: Boolean): Vector[(Long, String)] = FileRows.read(
    path,
    columns,
    settings = Map("parquet.hadoop.vectored.io.enabled" -> vectored.toString)
  )(row => row.getLong(0) -> row.getString(1))

  private val expected = (0 until 500).map(i => i.toLong -> s"name ${i % 7}").toVector

  private val ways = for {
    v2 <- Seq(false, true)
    dictionaries <- Seq(false, true)
    vectored <- Seq(false, true)
  } yield (v2, dictionaries, vectored)

  test("whole files") {
    ways.foreach { case (v2, dictionaries, vectored) =>
      write(v2, dictionaries)
      assert(read(vectored) === expected)
    }
  }

  test("pages that claim 1.5 GB are refused before memory is taken") {
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    val size = 1500000000
    def refused(vectored: Boolean)(edit: PageHeader => Unit): String = {
      PageEdit.editHeader(path, "name")(edit)
      val id = Thread.currentThread.getId
      val before = threads.getThreadAllocatedBytes(id)
      val error = intercept[VariantShreddedException](read(vectored))
      val allocated = threads.getThreadAllocatedBytes(id) - before
      assert(allocated < 64 * 1024 * 1024)
      assert(error.condition === "CORRUPT_PARQUET_FILE")
      assert(error.location.rowGroup === Some(0))
      assert(error.location.column === Some("name"))
      error.reason
    }
    ways.foreach { case (v2, dictionaries, vectored) =>
      write(v2, dictionaries)
      val reason = refused(vectored)(_.setCompressed_page_size(size): Unit)
      assert(reason.matches(s"A page claims $size bytes of a column chunk that has \\d+ left\\."))
    }
    Seq(false, true).foreach { vectored =>
      write(v2 = true, dictionaries = false)
      val reason =
        refused(vectored)(_.getData_page_header_v2.setDefinition_levels_byte_length(size): Unit)
      assert(reason.matches(s"A page of \\d+ bytes claims 0 and $size bytes of levels\\."))
    }
  }

  test("a page that goes on behind its chunk is refused, not cut") {
    ways.foreach { case (v2, dictionaries, vectored) =>
      write(v2, dictionaries)
      ParquetFixture.editFooter(path) { footer =>
        footer.getRow_groups.asScala.foreach { rowGroup =>
          val chunk = rowGroup.getColumns.asScala.last.getMeta_data
          chunk.setTotal_compressed_size(chunk.getTotal_compressed_size - 15)
        }
      }
      val error = intercept[VariantShreddedException](read(vectored))
      assert(error.condition === "CORRUPT_PARQUET_FILE")
      // Pages of dictionary ids are so small that the last header itself is cut.
      if (!dictionaries) {
        assert(
          error.reason.matches("A page claims \\d+ bytes of a column chunk that has \\d+ left\\.")
        )
        assert(error.location.column === Some("name"))
      }
    }
  }

  private def chunks(file: Path): Seq[ColumnChunkMetaData] = {
    val reader = LocalParquet.open(file)
    try reader.getRowGroups.asScala.flatMap(_.getColumns.asScala).toSeq
    finally reader.close()
  }

  test("bytes come in pieces of any size") {
    Seq(false, true).foreach { isBad =>
      write(v2 = false, dictionaries = true)
      // The last page of the chunk: all before it are gone through.
      if (isBad) {
        val file = Files.readAllBytes(path)
        val last = PageEdit.pages(file).collect { case ("name", page) => page.start }.last
        val size = PageEdit.pages(file).collect { case ("name", p) => p.header }.last
        PageEdit.editHeader(path, "name", _ == size)(_.setCompressed_page_size(1 << 30): Unit)
        assert(Files.readAllBytes(path).take(last) === file.take(last))
      }
      val file = Files.readAllBytes(path)
      val chunk = chunks(path).filter(_.getPath.toDotString == "name").last
      (1 to 300).foreach { piece =>
        val check = new PageHeaderCheck(chunk)
        def all(): Unit = (0 until file.length by piece).foreach { at =>
          val length = math.min(piece, file.length - at)
          check.add(at.toLong, ByteBuffer.wrap(file, at, length))
        }
        if (isBad) intercept[VariantShreddedException](all()): Unit else all()
      }
    }
  }

  test("reads that begin in the windows and end behind them") {
    val file = Array.tabulate[Byte](100)(_.toByte)
    val input = new FSDataInputStream(new MemoryInput(file))
    val stream = new ChunkStream(HadoopStreams.wrap(input))
    stream.readInWindows(20, 60, None, 16)
    Seq(50 -> 30, 20 -> 80, 59 -> 1, 59 -> 2, 10 -> 20).foreach { case (from, length) =>
      val bytes = new Array[Byte](length)
      stream.seek(from.toLong)
      stream.readFully(bytes)
      assert(bytes === file.slice(from, from + length))
      assert(stream.getPos === from + length)
    }
    stream.seek(50)
    intercept[EOFException](stream.readFully(new Array[Byte](51)))
  }

  test("a page header that makes its parser fail") {
    write(v2 = false, dictionaries = false)
    val chunk = chunks(path).head
    // Three numbers, and a binary of -1 bytes in a field 9, which page headers do not have.
    val header = Array[Byte](0x15, 0, 0x15, 2, 0x15, 2, 0x68, -1, -1, -1, -1, 0x0f, 0)
    val error = intercept[VariantShreddedException] {
      new PageHeaderCheck(chunk).add(chunk.getStartingPos, ByteBuffer.wrap(header))
    }
    assert(error.condition === "CORRUPT_PARQUET_FILE")
    assert(error.reason === "A page header cannot be parsed.")
    assert(error.location.column === Some("id"))
  }
}
