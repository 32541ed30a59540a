package io.github.variantshredded.read.pages

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.{FileRows, ParquetFixture}
import org.apache.parquet.format.ColumnMetaData
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** Every row group is read by one split of its file, wherever the footer says it is. */
class RowGroupsSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val path: Path = Files.createTempFile("splits", ".parquet")

  override protected def afterAll(): Unit =
    try Files.deleteIfExists(path): Unit
    finally super.afterAll()

  private def write(): Unit = {
    Files.deleteIfExists(path)
    ParquetFixture.write(
      path,
      "message m { optional int64 id; optional binary name (STRING); }",
      (0 until 50).map(i => Map("id" -> i.toLong, "name" -> s"name $i")),
      _.withRowGroupRowCountLimit(10)
    )
  }

  /** What splits of `size` bytes read of the columns; the first error is thrown. */
  private def read(columns: String, size: Long): Seq[Long] = {
    val length = Files.size(path)
    (0L until length by size).flatMap { start =>
      val range = Some(start -> math.min(start + size, length))
      FileRows.read(path, StructType.fromDDL(columns), range = range)(_.getLong(0))
    }
  }

  private def sizes: Seq[Long] = {
    val length = Files.size(path)
    Seq(1L, 7L, 100L, length / 5, length / 3, length / 2, length - 1, length).filter(_ > 0)
  }

  private def edit(rowGroup: Int)(change: ColumnMetaData => Unit): Unit =
    ParquetFixture.editFooter(path) { footer =>
      footer.getRow_groups.get(rowGroup).getColumns.asScala.map(_.getMeta_data).foreach { chunk =>
        chunk.unsetDictionary_page_offset()
        change(chunk)
      }
    }

  test("splits of every size read every row once") {
    write()
    sizes.filter(_ > 1).foreach { size =>
      assert(read("id bigint", size).sorted === (0L until 50L), s"splits of $size bytes")
    }
  }

  test("a row group that is not where the footer says is not left out") {
    val offsets = Seq(Long.MaxValue, Long.MinValue, -1L, 1L << 40, 100000L)
    for {
      rowGroup <- 0 until 5
      offset <- offsets
    } {
      write()
      edit(rowGroup)(_.setData_page_offset(offset): Unit)
      sizes.filter(_ >= 100).foreach { size =>
        val error = intercept[VariantShreddedException](read("id bigint", size))
        assert(error.condition === "CORRUPT_PARQUET_FILE")
        assert(error.location.rowGroup === Some(rowGroup))
      }
    }
  }

  test("sizes that cannot be do not hide a row group either") {
    for {
      rowGroup <- 0 until 5
      bytes <- Seq(Long.MaxValue, Long.MinValue, -1L, 1L << 40)
    } {
      write()
      edit(rowGroup)(_.setTotal_compressed_size(bytes): Unit)
      sizes.filter(_ >= 100).foreach { size =>
        val error = intercept[VariantShreddedException](read("id bigint", size))
        assert(error.condition === "CORRUPT_PARQUET_FILE")
        assert(error.location.rowGroup === Some(rowGroup))
      }
    }
  }

  test("columns that are not asked for may be anywhere") {
    write()
    ParquetFixture.editFooter(path) { footer =>
      footer.getRow_groups.asScala.foreach { rowGroup =>
        rowGroup.getColumns.get(1).getMeta_data.setTotal_compressed_size(1L << 40)
      }
    }
    sizes.filter(_ >= 100).foreach { size =>
      assert(read("id bigint", size).sorted === (0L until 50L), s"splits of $size bytes")
    }
  }
}
