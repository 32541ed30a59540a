package io.github.variantshredded.read.footer

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.testing.{DataFiles, PathSuite}
import org.apache.parquet.format.{ColumnMetaData, FileMetaData, Statistics}

/** No value is lost if the footer says that a leaf column in a list has too many nulls. */
class WrongNullCountsSuite extends PathSuite {

  private val duckDb = "DuckDB version v1.5.6 (build 1a2b3c4d5e)"

  /** Lists with a NaN, for which no bounds are written, with objects without it, and with numbers. */
  private def lists(): String = {
    val path = newPath()
    val rows = spark
      .range(0, 300, 1, 1)
      .selectExpr(
        "id",
        """CASE id % 3
             WHEN 0 THEN to_variant_object(array(named_struct('x', double('NaN'))))
             WHEN 1 THEN parse_json('[{"y": 1}]')
             ELSE parse_json('[7]')
           END AS v""",
        "array(named_struct('d', if(id % 3 = 0, double('NaN'), NULL))) AS s"
      )
    writer(rows)
      .option("shredding", "array<struct<x double, y bigint>>")
      .save(path)
    path
  }

  private def editFooter(path: String)(edit: FileMetaData => Unit): Unit = {
    val file = DataFiles.only(Path.of(path))
    ParquetFixture.editFooter(file)(edit)
    val _ = Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
  }

  /** Says that all of some numbers in lists are null, and names a writer. */
  private def edit(path: String, writer: String): Unit =
    editFooter(path) { footer =>
      footer.setCreated_by(writer)
      for {
        group <- footer.getRow_groups.asScala
        chunk <- group.getColumns.asScala
      } {
        val leaf = chunk.getMeta_data.getPath_in_schema.asScala.mkString(".")
        if (leaf.endsWith("x.typed_value") || leaf.endsWith("element.d")) {
          allNull(chunk.getMeta_data)
          chunk.unsetColumn_index_offset()
          chunk.unsetColumn_index_length()
        }
      }
    }

  private def allNull(chunk: ColumnMetaData): Unit = {
    val statistics = new Statistics
    statistics.setNull_count(chunk.getNum_values)
    chunk.setStatistics(statistics): Unit
  }

  private val queries = Seq(
    "SELECT id, to_json(v) FROM t",
    "SELECT id FROM t WHERE isnan(v:[0].x::double)",
    "SELECT id FROM t WHERE exists(s, x -> isnan(x.d))"
  )

  private def answers(path: String): Seq[Seq[String]] = {
    reader.load(path).createOrReplaceTempView("t")
    queries.map(spark.sql(_).collect().map(_.toString).toSeq.sorted)
  }

  test("null counts of DuckDB 1.5 in lists are ignored") {
    val path = lists()
    val right = answers(path)
    assert(right.map(_.size) === Seq(300, 100, 100))
    edit(path, duckDb)
    assert(answers(path) === right)
    // Another writer is believed.
    edit(path, duckDb.replace("v1.5.6", "v2.0.0"))
    assert(answers(path) !== right)
  }

  test("a null count above the number of values is no null count") {
    val path = lists()
    val right = answers(path)
    editFooter(path) { footer =>
      footer.getRow_groups.asScala.flatMap(_.getColumns.asScala).foreach { chunk =>
        val meta = chunk.getMeta_data
        meta.getStatistics.setNull_count(meta.getNum_values + 1): Unit
      }
    }
    assert(answers(path) === right)
    val residual = spark.read
      .format("variant-shredded-files")
      .load(path)
      .where("residual_values < 0")
    assert(residual.count() === 0)
  }
}
