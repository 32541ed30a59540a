package io.github.variantshredded.read.footer

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.read.file.ParquetFixture
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.{ColumnMetaData, FileMetaData}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.scalatest.funsuite.AnyFunSuite

/** A footer says where the page indexes are. */
class IndexBytesSuite extends AnyFunSuite {

  private def withFile(
      edit: FileMetaData => Unit,
      filterBytes: Option[Int] = None
  )(body: Path => Unit): Unit = {
    val path = Files.createTempFile("indexes", ".parquet")
    try {
      Files.delete(path)
      ParquetFixture.write(
        path,
        "message m { required int32 a; required int32 b; }",
        (0 until 20).map(i => Map("a" -> i, "b" -> -i)),
        builder =>
          filterBytes
            .fold(builder) { size =>
              builder
                .withDictionaryEncoding(false)
                .withBloomFilterEnabled(true)
                .withMaxBloomFilterBytes(size)
            }
            .withRowGroupRowCountLimit(10)
      )
      ParquetFixture.editFooter(path)(edit)
      body(path)
    } finally Files.delete(path)
  }

  private def indexes(file: Path): IndexBytes = {
    val path = new HadoopPath(file.toUri)
    val status = path.getFileSystem(ParquetFixture.plain).getFileStatus(path)
    val input = HadoopInputFile.fromStatus(status, ParquetFixture.plain)
    val tail = Using.resource(input.newStream())(FileTail.read(_, status))
    val options = HadoopReadOptions.builder(ParquetFixture.plain, path).build()
    FooterReader.read(input, options, tail, status).indexes
  }

  test("they begin where the row groups end, and end before the footer") {
    withFile(_ => ()) { file =>
      val footer = ParquetFixture.footer(Files.readAllBytes(file))
      val chunks = footer.getRow_groups.asScala.flatMap(_.getColumns.asScala)
      val found = indexes(file)
      assert(found.start === chunks.map(_.getColumn_index_offset).min)
      assert(found.end === chunks.map(c => c.getOffset_index_offset + c.getOffset_index_length).max)
      assert(found.start < found.end)
      assert(found.end <= ParquetFixture.footerStart(Files.readAllBytes(file)))
      assert(found.kept.isEmpty, "the file has no ETag")
    }
  }

  private def chunks(file: Path) =
    ParquetFixture
      .footer(Files.readAllBytes(file))
      .getRow_groups
      .asScala
      .flatMap(_.getColumns.asScala)

  private def endOfIndexes(file: Path): Long =
    chunks(file).map(c => c.getOffset_index_offset + c.getOffset_index_length).max

  test("small bloom filters behind them belong to them") {
    withFile(_ => (), filterBytes = Some(1024)) { file =>
      val filters = chunks(file).map(_.getMeta_data)
      val end = filters.map(c => c.getBloom_filter_offset + c.getBloom_filter_length).max
      assert(end > endOfIndexes(file))
      assert(indexes(file).end === end)
    }
  }

  test("other bloom filters do not") {
    withFile(_ => (), filterBytes = Some(32 << 10)) { file =>
      assert(indexes(file).end === endOfIndexes(file), "filters of 128 KiB")
    }
    def edit(change: ColumnMetaData => Unit)(footer: FileMetaData): Unit =
      change(footer.getRow_groups.get(0).getColumns.get(0).getMeta_data)
    Seq[ColumnMetaData => Unit](
      _.unsetBloom_filter_length(),
      _.setBloom_filter_length(Int.MaxValue): Unit,
      _.setBloom_filter_offset(Long.MaxValue): Unit,
      _.setBloom_filter_offset(1L << 40): Unit
    ).foreach { change =>
      withFile(edit(change), filterBytes = Some(1024)) { file =>
        assert(indexes(file).end === endOfIndexes(file))
      }
    }
  }

  test("a file without page indexes") {
    def remove(footer: FileMetaData): Unit =
      footer.getRow_groups.asScala.flatMap(_.getColumns.asScala).foreach { chunk =>
        chunk.unsetOffset_index_offset()
        chunk.unsetOffset_index_length()
      }
    withFile(remove)(file => assert(indexes(file).end === 0))
  }
}
