package io.github.variantshredded.read.footer

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.file.{FileRows, ParquetFixture}
import io.github.variantshredded.read.options.ReadMetrics
import org.apache.parquet.format.{FileMetaData, Statistics}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, LessThan, Literal}
import org.apache.spark.sql.types.{Decimal, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Bounds in a footer that cannot be values say nothing; the others still count. */
class FooterReaderSuite extends AnyFunSuite {

  private val columns = Vector("bool", "int", "long", "float", "double", "decimal", "text")

  private val schema = StructType.fromDDL(
    "bool boolean, int int, long bigint, float float, double double, decimal decimal(20,2), " +
      "text string"
  )

  /** Ten rows in each of two row groups, in which all columns grow. */
  private def withFile(edit: FileMetaData => Unit)(body: Path => Unit): Unit = {
    val path = Files.createTempFile("footer", ".parquet")
    try {
      Files.delete(path)
      ParquetFixture.write(
        path,
        "message m { required boolean bool; required int32 int; required int64 long; " +
          "required float float; required double double; " +
          "required fixed_len_byte_array(9) decimal (DECIMAL(20,2)); required binary text (STRING); }",
        (0 until 20).map { i =>
          Map(
            "bool" -> (i >= 10),
            "int" -> i,
            "long" -> i.toLong,
            "float" -> i.toFloat,
            "double" -> i.toDouble,
            "decimal" -> Array[Byte](0, 0, 0, 0, 0, 0, 0, 0, i.toByte),
            "text" -> f"t$i%02d"
          )
        },
        _.withRowGroupRowCountLimit(10)
      )
      ParquetFixture.editFooter(path)(edit)
      body(path)
    } finally Files.delete(path)
  }

  private def statistics(footer: FileMetaData, column: String): Seq[Statistics] =
    footer.getRow_groups.asScala.toSeq.map { rowGroup =>
      rowGroup.getColumns.get(columns.indexOf(column)).getMeta_data.getStatistics
    }

  /** The values of `long` left by `column < value`, and how many row groups statistics ruled out. */
  private def read(path: Path, column: String, value: Any): (Seq[Long], Long) = {
    val metrics = new ReadMetrics
    val attributes = schema.map(f => AttributeReference(f.name, f.dataType)())
    val condition =
      LessThan(
        attributes(columns.indexOf(column)),
        Literal.create(value, schema(column).dataType)
      )
    val rows = FileRows.read(
      path,
      schema,
      metrics = metrics,
      conjuncts = Conjuncts.of(Seq(condition), schema).pushed
    )(_.getLong(columns.indexOf("long")))
    (rows, metrics.rowGroupsSkippedByStatistics)
  }

  // The first row group is below, the second is not.
  private val limits = Map[String, Any](
    "bool" -> true,
    "int" -> 10,
    "long" -> 10L,
    "float" -> 10f,
    "double" -> 10.0,
    "decimal" -> Decimal("0.10")
  )

  private val edits = Seq[(String, (Statistics, Array[Byte]) => Unit)](
    "least value" -> ((s, bytes) => s.setMin_value(bytes): Unit),
    "greatest value" -> ((s, bytes) => s.setMax_value(bytes): Unit),
    "bounds of the old kind" -> { (s, bytes) =>
      s.unsetMin_value()
      s.unsetMax_value()
      s.setMin(bytes)
      s.setMax(bytes): Unit
    }
  )

  for {
    (column, value) <- limits
    (bound, edit) <- edits
  } {
    test(s"$bound of $column, too short") {
      val short = if (column == "bool") Array.emptyByteArray else Array[Byte](1)
      withFile(footer => statistics(footer, column).foreach(edit(_, short))) { path =>
        assert(read(path, column, value) === ((0L to 9L), 0))
        assert(read(path, "text", UTF8String.fromString("t10")) === ((0L to 9L), 1))
      }
      withFile(_ => ())(path => assert(read(path, column, value) === ((0L to 9L), 1)))
    }
  }

  test("a footer that is broken in another way is refused") {
    withFile(_.getSchema.get(1).unsetType()) { path =>
      val e = intercept[VariantShreddedException](read(path, "long", 12L))
      assert(e.condition === "CORRUPT_PARQUET_FILE" && e.location.file.nonEmpty)
    }
  }
}
