package io.github.variantshredded.read.footer

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.file.{FileRows, ParquetFixture}
import io.github.variantshredded.read.footer.WrongStatistics._
import io.github.variantshredded.read.options.ReadMetrics
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.{ColumnMetaData, FileMetaData, Statistics => FormatStatistics}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageTypeParser
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

  private def statistics(footer: FileMetaData, column: String): Seq[FormatStatistics] =
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

  private val edits = Seq[(String, (FormatStatistics, Array[Byte]) => Unit)](
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

  /** What a footer says of a column in the first row group. */
  private def chunk(path: Path, column: String = "long"): ColumnChunkMetaData = {
    val file = new HadoopPath(path.toUri)
    val status = file.getFileSystem(FileRows.conf).getFileStatus(file)
    val input = HadoopInputFile.fromStatus(status, FileRows.conf)
    val options = HadoopReadOptions.builder(FileRows.conf, file).build()
    val tail = Using.resource(input.newStream())(FileTail.read(_, status))
    val chunks = FooterReader.read(input, options, tail).getBlocks.get(0).getColumns
    chunks.get(columns.indexOf(column))
  }

  private def bounds(chunk: ColumnChunkMetaData): Seq[Seq[Byte]] = {
    val statistics: Statistics[_] = chunk.getStatistics
    Seq(statistics.getMinBytes.toSeq, statistics.getMaxBytes.toSeq)
  }

  test("null counts of writers that wrote wrong ones are left out, and nothing else") {
    Seq(
      "Polars",
      "Polars (python) version 2.0.0 (build 22a147de)",
      "parquet-cpp version 1.5.1-SNAPSHOT",
      "parquet-cpp-arrow version 5.0.0",
      "parquet-rs version 4.1.0 (build 4c6c0d6d)"
    ).foreach { writer =>
      withFile(_ => ()) { path =>
        val before = chunk(path)
        assert(NullCounts.of(before) === Some(0L))
        ParquetFixture.editFooter(path)(_.setCreated_by(writer): Unit)
        val after = chunk(path)
        assert(NullCounts.of(after).isEmpty, writer)
        assert(bounds(before) === bounds(after))
        assert(before.getValueCount === after.getValueCount)
        assert(before.getStartingPos === after.getStartingPos)
        assert(before.getOffsetIndexReference.getOffset === after.getOffsetIndexReference.getOffset)
        assert(before.getColumnIndexReference.getOffset === after.getColumnIndexReference.getOffset)
      }
    }
  }

  private val decimals = Set[Kind](FixedDecimalBounds, BinaryDecimalBounds)

  test("what is not trusted of a writer, by its version") {
    Seq[(String, Set[Kind])](
      "Polars" -> (decimals + NullCount + BinaryBounds),
      "Polars (python) version 2.0.0 (build 22a147de)" -> Set(NullCount),
      "parquet-cpp version 1.5.1-SNAPSHOT" ->
        (decimals + NullCount + NestedNullCount + BinaryBounds),
      "parquet-cpp-arrow version 3.0.0" -> (decimals + NullCount + NestedNullCount + BinaryBounds),
      "parquet-cpp-arrow version 5.0.0" -> Set(NullCount, NestedNullCount, BinaryBounds),
      "parquet-cpp-arrow version 10.0.1" -> Set(NestedNullCount, BinaryBounds),
      "parquet-cpp-arrow version 11.0.0" -> Set(NestedNullCount),
      "parquet-cpp-arrow version 26.0.1" -> Set(NestedNullCount),
      "parquet-rs version 4.1.0 (build 4c6c0d6d)" ->
        (decimals + NullCount + BinaryBounds + RepeatedRows),
      "parquet-rs version 5.1.0" -> (decimals + BinaryBounds + RepeatedRows),
      "parquet-rs version 13.0.0" -> (decimals + RepeatedRows),
      "parquet-rs version 40.0.0" -> Set(BinaryDecimalBounds, RepeatedRows),
      "parquet-rs version 41.0.0" -> Set(BinaryDecimalBounds),
      "parquet-rs version 59.3.1" -> Set(BinaryDecimalBounds),
      "github.com/parquet-go/parquet-go version 0.20.1(build )" ->
        (decimals + BinaryBounds + FloatBounds + DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go version 0.26.0(build )" ->
        (decimals + FloatBounds + DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go version 0.27.1-0.20260119000000-20b0e3d3b9c7(build )" ->
        (decimals + FloatBounds + EncodingStatistics + DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go version 0.28.0(build )" ->
        (decimals + EncodingStatistics + DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go version 0.31.0(build )" ->
        (decimals + EncodingStatistics + DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go version 0.32.0(build )" ->
        (decimals + DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go version 0.33.0(build )" -> Set(DictionaryBloomFilter),
      "github.com/parquet-go/parquet-go" ->
        (decimals + BinaryBounds + FloatBounds + EncodingStatistics + DictionaryBloomFilter),
      "github.com/segmentio/parquet-go version 0.0.0(build 91e1e5)" ->
        (decimals + BinaryBounds + FloatBounds),
      "ClickHouse v25.5.2.1-stable" -> decimals,
      "parquet-go version 18.6.0" -> (decimals + BinaryBounds + RepeatedRows),
      "parquet-go version 18.7.0" -> Set(RepeatedRows),
      "parquet-go version 18.8.0-SNAPSHOT" -> Set(RepeatedRows),
      "parquet-go version latest" -> (decimals + BinaryBounds + RepeatedRows),
      "hyparquet" -> Set(BinaryBounds, IntDecimalBounds, RepeatedRows),
      "Parquet.Net version 6.1.0 (build 5e2a3b4c)" -> Set(BinaryBounds),
      "Arrow2 - Native Rust implementation of Arrow" ->
        Set(NullCount, BinaryBounds, FixedDecimalBounds, NumberBounds),
      "parquet.js" -> (decimals + BinaryBounds + NumberBounds + FirstRows),
      "@dsnp/parquetjs" -> (decimals + BinaryBounds + NumberBounds + FirstRows),
      "QuestDB" -> Set(BinaryBounds, FixedDecimalBounds),
      "QuestDB version 8.0" -> Set(BinaryBounds, FixedDecimalBounds),
      "QuestDB version 9.0" -> Set(BinaryBounds, FixedDecimalBounds),
      "fastparquet-python version 2024.11.0 (build 0)" -> Set(CategoryBounds),
      "delta-rs version 0.13.0" -> Set(BinaryDecimalBounds, RepeatedRows),
      "delta-rs version 0.16.0" -> Set(BinaryDecimalBounds),
      "DuckDB version v1.4.0 (build b8a06e4a22)" -> Set(RepeatedNullCount),
      "DuckDB version v1.5.6 (build 1a2b3c4d5e)" -> Set(RepeatedNullCount)
    ).foreach { case (writer, wrong) => assert(WrongStatistics.of(writer) === wrong, writer) }
  }

  test("null counts that may be too small are those of binary values in optional groups") {
    val schema = MessageTypeParser.parseMessageType("""message m {
      optional group g { required binary a; optional binary b; required int32 c; }
      required group h { required binary d; optional binary e; }
      optional group l (LIST) { repeated group list { required binary element; } }
      optional binary f;
    }""")
    val leaves = schema.getColumns.asScala.filter(NestedNullCount.concerns(_))
    assert(leaves.map(_.getPath.mkString(".")) === Seq("g.a", "g.b", "l.list.element"))
  }

  test("statistics of other writers are trusted") {
    Seq(
      "Polars (python) version 2.1.0 (build 7f902bd3)",
      "parquet-cpp-velox version 1.0.0",
      "ClickHouse v25.8.2.29-lts",
      "parquet-go version 18.8.0",
      "DuckDB version v2.0.0 (build 1a2b3c4d5e)",
      "parquet-mr version 1.10.1 (build a89df8f9)",
      "parquet-mr version 1.17.0 (build 5a4b1d2c)",
      "Polarsteps version 1.0",
      "",
      null
    ).foreach(writer => assert(WrongStatistics.of(writer).isEmpty, s"$writer"))
  }

  private val other = "parquet-mr version 1.17.0 (build 5a4b1d2c)"

  /** The values of `long`, of those that `column < value` is to find, that are left by it. */
  private def found(path: Path, column: String, value: Any): Seq[Long] =
    read(path, column, value)._1.filter(_ < 10)

  // The bounds of both row groups and of all pages become those of the greatest values.
  for {
    (column, value, writers) <- Seq(
      (
        "text",
        UTF8String.fromString("t10"),
        Seq("parquet-cpp-arrow version 10.0.1", "parquet-rs version 5.1.0")
      ),
      ("decimal", Decimal("0.10"), Seq("Polars", "parquet-cpp version 1.5.1-SNAPSHOT"))
    )
    writer <- writers
  } test(s"no rows are lost by the bounds of $column by $writer") {
    def withBounds(writer: String, edit: ColumnMetaData => Unit = _ => ())(body: Path => Unit) =
      withFile(_ => ()) { path =>
        val greatest =
          if (column == "text") "t19".getBytes else Array[Byte](0, 0, 0, 0, 0, 0, 0, 0, 19)
        ParquetFixture.editIndexes(path) { (chunk, index, _) =>
          val meta = chunk.getMeta_data
          if (meta.getPath_in_schema.get(0) == column) {
            meta.getStatistics.setMin_value(greatest).setMax_value(greatest)
            val all = Seq.fill(index.getNull_pages.size)(ByteBuffer.wrap(greatest)).asJava
            index.setMin_values(all).setMax_values(all)
            edit(meta)
          }
        }
        ParquetFixture.editFooter(path)(_.setCreated_by(writer): Unit)
        body(path)
      }
    // Another writer is believed, first in the footer, then in the column index.
    withBounds(other)(path => assert(found(path, column, value).isEmpty))
    withBounds(other, _.unsetStatistics(): Unit)(path => assert(found(path, column, value).isEmpty))
    withBounds(writer) { path =>
      assert(found(path, column, value) === (0L to 9L))
      assert(read(path, "int", 10) === ((0L to 9L), 1))
    }
  }

  test("a null count that bounds contradict is not used without them") {
    withFile { footer =>
      statistics(footer, "text").foreach(_.setNull_count(10): Unit)
      footer.setCreated_by("parquet-cpp-arrow version 10.0.1"): Unit
    } { path =>
      assert(NullCounts.of(chunk(path, "text")).isEmpty)
      assert(NullCounts.of(chunk(path)) === Some(0L))
    }
  }

  test("a footer that is broken in another way is refused") {
    withFile(_.getSchema.get(1).unsetType()) { path =>
      val e = intercept[VariantShreddedException](read(path, "long", 12L))
      assert(e.condition === "CORRUPT_PARQUET_FILE" && e.location.file.nonEmpty)
    }
  }
}
