package io.github.variantshredded.read.pages

import java.util.Collections

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.footer.LeafIndex
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  CompressionCodecName
}
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.scalatest.funsuite.AnyFunSuite

/** What the footer may say of the column chunks of a row group. */
class ChunkCheckSuite extends AnyFunSuite {
  import ChunkCheckSuite._

  private def check(rowGroup: BlockMetaData, chunks: Chunk*): Unit = {
    val index = new LeafIndex(schema, schema.getPaths.asScala.map(_.toSeq).toSet)
    val codecs = new BoundedCodecFactory(new CodecFactory(new Configuration(false), 0))
    new ChunkCheck(schema, index, FileLength, codecs)
      .check(rowGroup, chunks.map(chunk => if (chunk == null) null else chunk.metadata).toArray)
  }

  private def refused(rowGroup: BlockMetaData, chunks: Chunk*): VariantShreddedException =
    intercept[VariantShreddedException](check(rowGroup, chunks: _*))

  private val plain = Chunk("a", 10)
  private val inList = Seq(Chunk("l.list.x", 12), Chunk("l.list.y", 12))

  test("a row group as it should be") {
    check(rows(10), plain +: inList: _*)
  }

  test("a chunk may end where the file ends") {
    check(rows(10), plain.copy(start = FileLength - 20, size = 20) +: inList: _*)
  }

  test("fewer than no rows") {
    val error = refused(rows(-1), plain +: inList: _*)
    assert(error.condition === "CORRUPT_PARQUET_FILE")
    assert(error.getMessage.contains("The row group claims to have -1 rows."))
  }

  test("chunks in another file") {
    val rowGroup = rows(10)
    rowGroup.setPath("other.parquet")
    assert(refused(rowGroup, plain +: inList: _*).getMessage.contains("'other.parquet'"))
  }

  test("a leaf column without a chunk") {
    val error = refused(rows(10), null +: inList: _*)
    assert(error.getMessage.contains("The row group has no column chunk of a leaf of the schema."))
    assert(error.getMessage.contains("(column=a)"))
  }

  test("a range of bytes that is not in the file") {
    Seq(
      plain.copy(size = -1),
      plain.copy(size = FileLength + 1),
      plain.copy(start = FileLength - 19, size = 20),
      plain.copy(start = FileLength, size = Long.MaxValue)
    ).foreach { chunk =>
      val error = refused(rows(10), chunk +: inList: _*)
      assert(error.getMessage.contains(s"of a file of $FileLength bytes"), chunk)
    }
  }

  test("more chunks than leaf columns") {
    def listed(chunks: Chunk*) = {
      val rowGroup = rows(10)
      chunks.foreach(chunk => rowGroup.addColumn(chunk.metadata))
      rowGroup
    }
    val chunks = plain +: inList
    check(listed(chunks.reverse: _*), chunks: _*)
    val error = refused(listed(chunks :+ plain.copy(size = 1L << 40): _*), chunks: _*)
    assert(error.reason === "The row group has 4 column chunks, but the schema has 3 leaf columns.")
  }

  test("chunks together have no more bytes than the file") {
    val third = (FileLength - 1) / 3
    check(rows(10), (plain +: inList).map(_.copy(size = third)): _*)
    val overlapping = plain.copy(size = FileLength / 2) +: inList.map(_.copy(size = third))
    val error = refused(rows(10), overlapping: _*)
    assert(
      error.reason === s"The column chunks of the row group claim ${FileLength / 2 + 2 * third} " +
        s"bytes of a file of $FileLength bytes."
    )
  }

  test("a column that is not repeated has one value for each row") {
    Seq(9L, 11L).foreach { count =>
      val error = refused(rows(10), plain.copy(values = count) +: inList: _*)
      assert(error.getMessage.contains(s"claims $count values in a row group of 10 rows"))
    }
  }

  test("a repeated column has at least one value for each row") {
    val error = refused(rows(10), plain +: inList.map(_.copy(values = 9)): _*)
    assert(error.getMessage.contains("claims 9 values in a row group of 10 rows"))
    assert(error.getMessage.contains("(column=l.list.x)"))
  }

  test("the leaf columns of one list have equally many values") {
    val error = refused(rows(10), plain, inList.head, inList(1).copy(values = 13))
    assert(error.getMessage.contains("claims 13 values, but another chunk"))
    assert(error.getMessage.contains("claims 12"))
    assert(error.getMessage.contains("(column=l.list.y)"))
  }

  test("a codec for which there is no library") {
    val error = refused(rows(10), plain.copy(codec = CompressionCodecName.LZO) +: inList: _*)
    assert(error.condition === "UNSUPPORTED_PARQUET_FILE")
    assert(error.getMessage.contains("(column=a)"))
  }
}

private object ChunkCheckSuite {
  val FileLength = 1000L

  val schema: MessageType = MessageTypeParser.parseMessageType(
    """message m {
      |  optional int64 a;
      |  optional group l (LIST) {
      |    repeated group list { optional int64 x; optional int64 y; }
      |  }
      |}""".stripMargin
  )

  def rows(count: Long): BlockMetaData = {
    val rowGroup = new BlockMetaData
    rowGroup.setRowCount(count)
    rowGroup
  }

  final case class Chunk(
      path: String,
      values: Long,
      start: Long = 4,
      size: Long = 100,
      codec: CompressionCodecName = CompressionCodecName.UNCOMPRESSED
  ) {

    def metadata: ColumnChunkMetaData = {
      val parts = path.split('.')
      val leaf = schema.getType(parts: _*).asPrimitiveType
      ColumnChunkMetaData.get(
        ColumnPath.get(parts: _*),
        leaf,
        codec,
        null,
        Collections.emptySet[Encoding](),
        Statistics.getBuilderForReading(leaf).build(),
        start,
        0L,
        values,
        size,
        size
      )
    }
  }
}
