package io.github.variantshredded.read.pages

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.AbstractList

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.{Conjunct, Conjuncts}
import io.github.variantshredded.read.file.{FileRows, ParquetFixture}
import io.github.variantshredded.read.footer.{FileTail, FooterCache, FooterReader}
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.RowGroup
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Literal}
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

/** Reading a column takes no look at the chunks of the others, once the footer is in memory. */
class WideFilesSuite extends AnyFunSuite with BeforeAndAfterEach {
  import WideFilesSuite._

  private var path: Path = _

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    path = Files.createTempFile("wide", ".parquet")
    Files.delete(path)
    ParquetFixture.write(
      path,
      (0 until Width).map(i => s"required int32 c$i;").mkString("message m { ", " ", " }"),
      (0 until 60).map(row => (0 until Width).map(i => s"c$i" -> (row * Width + i)).toMap),
      _.withRowGroupRowCountLimit(20).withPageRowCountLimit(5)
    )
  }

  override protected def afterEach(): Unit =
    try Files.deleteIfExists(path): Unit
    finally super.afterEach()

  /** Keeps a footer in the cache, and returns the numbers of the chunks that are visited in it. */
  private def visited(): mutable.Set[Int] = {
    Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis - 60000))
    val conf = FileRows.conf
    val file = new HadoopPath(path.toUri)
    val status = file.getFileSystem(conf).getFileStatus(file)
    val input = HadoopInputFile.fromStatus(status, conf)
    val tail = Using.resource(input.newStream())(FileTail.read(_, status))
    val options = HadoopReadOptions.builder(conf, file).build()
    val visits = mutable.Set.empty[Int]
    FooterCache.get(status) {
      val read = FooterReader.read(input, options, tail, status)
      val blocks =
        read.metadata.getBlocks.asScala.map(new VisitedRowGroup(_, visits): BlockMetaData)
      val metadata = new ParquetMetadata(read.metadata.getFileMetaData, blocks.asJava)
      new FooterCache.Footer(metadata, read.indexes)
    }
    visits
  }

  private def read(
      columns: String,
      conjuncts: Seq[Conjunct] = Nil,
      range: Option[(Long, Long)] = None
  ): Seq[Int] =
    FileRows.read(path, StructType.fromDDL(columns), conjuncts = conjuncts, range = range)(
      _.getInt(0)
    )

  private val of17: Seq[Int] = (0 until 60).map(_ * Width + 17)

  test("all rows") {
    val visits = visited()
    assert(read("c17 int") === of17)
    visits.clear()
    assert(read("c17 int") === of17)
    assert(visits === Set(17))
  }

  test("the row groups of a split") {
    val visits = visited()
    val length = Files.size(path)
    val splits = Seq(Some(0L -> length / 2), Some(length / 2 -> length))
    assert(splits.flatMap(range => read("c17 int", range = range)) === of17)
    visits.clear()
    assert(splits.flatMap(range => read("c17 int", range = range)) === of17)
    assert(visits === Set(17))
  }

  test("rows that pages and another column select") {
    val visits = visited()
    val c23 = AttributeReference("c23", StructType.fromDDL("i int").head.dataType)()
    val conjuncts = Conjuncts
      .of(Seq(EqualTo(c23, Literal(31 * Width + 23))), StructType.fromDDL("c17 int, c23 int"))
      .pushed
    assert(conjuncts.nonEmpty)
    assert(read("c17 int, c23 int", conjuncts) === Seq(31 * Width + 17))
    visits.clear()
    assert(read("c17 int, c23 int", conjuncts) === Seq(31 * Width + 17))
    assert(visits === Set(17, 23))
  }

  private def editRowGroups(edit: RowGroup => Unit): Unit =
    ParquetFixture.editFooter(path)(_.getRow_groups.forEach(edit(_)))

  test("chunks in another order than the leaf columns") {
    editRowGroups(rowGroup => java.util.Collections.reverse(rowGroup.getColumns))
    val visits = visited()
    assert(read("c17 int") === of17)
    visits.clear()
    assert(read("c17 int") === of17)
    assert(visits === (0 until Width).toSet)
  }

  test("two chunks of a column, one in the place of another column") {
    editRowGroups(rowGroup => rowGroup.getColumns.set(20, rowGroup.getColumns.get(17)): Unit)
    assert(read("c17 int") === of17)
    val error = intercept[VariantShreddedException](read("c20 int"))
    assert(error.condition === "CORRUPT_PARQUET_FILE")
  }

  test("a second chunk of a column that claims many bytes is not read") {
    editRowGroups { rowGroup =>
      val second = rowGroup.getColumns.get(17).deepCopy
      second.getMeta_data.setTotal_compressed_size(1L << 40)
      rowGroup.getColumns.set(20, second): Unit
    }
    assert(read("c17 int") === of17)
  }
}

private object WideFilesSuite {
  final val Width = 40

  /** Remembers which of its chunks were visited. */
  final class VisitedRowGroup(rowGroup: BlockMetaData, visits: mutable.Set[Int])
      extends BlockMetaData {
    setRowCount(rowGroup.getRowCount)
    setRowIndexOffset(rowGroup.getRowIndexOffset)
    setTotalByteSize(rowGroup.getTotalByteSize)
    setOrdinal(rowGroup.getOrdinal)

    override def getColumns: java.util.List[ColumnChunkMetaData] = {
      val all = rowGroup.getColumns
      new AbstractList[ColumnChunkMetaData] {
        override def size: Int = all.size
        override def get(index: Int): ColumnChunkMetaData = {
          visits += index
          all.get(index)
        }
      }
    }
  }
}
