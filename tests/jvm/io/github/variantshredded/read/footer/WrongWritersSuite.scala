package io.github.variantshredded.read.footer

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.testing.PathSuite
import org.apache.parquet.column.ParquetProperties.WriterVersion.PARQUET_2_0
import org.apache.parquet.format._
import org.apache.parquet.hadoop.example.ExampleParquetWriter

/**
 * Queries give the right rows of files with mistakes that writers are known to make. A file with
 * the same mistake and an unknown writer gives other rows, which shows that the mistake matters.
 */
class WrongWritersSuite extends PathSuite {

  private val unknown = "parquet-mr version 1.17.0 (build 5a4b1d2c)"
  private val arrow2 = "Arrow2 - Native Rust implementation of Arrow"
  private val parquetGo = "github.com/parquet-go/parquet-go"
  private val segmentGo = "github.com/segmentio/parquet-go version 0.0.0(build 91e1e5)"

  /** A copy of the only file of a table, with the name of a writer and the mistake. */
  private def copied(path: String, writer: String)(mistake: Path => Unit): String = {
    val copy = newPath()
    val file = Files.createDirectories(Path.of(copy)).resolve("part-0.parquet")
    Files.copy(onlyFile(path), file)
    mistake(file)
    ParquetFixture.editFooter(file)(_.setCreated_by(writer): Unit)
    copy
  }

  private def answers(path: String, queries: Seq[String]): Seq[Seq[String]] = {
    reader.load(path).createOrReplaceTempView("t")
    queries.map(spark.sql(_).collect().map(_.toString).toSeq.sorted)
  }

  /** Compares the answers of files with the mistake to those of the file without it. */
  private def check(path: String, writers: Seq[String], queries: String*)(
      mistake: Path => Unit
  ): Unit = {
    val right = answers(path, queries)
    val wrong = answers(copied(path, unknown)(mistake), queries)
    queries.indices.foreach(i => assert(wrong(i) !== right(i), queries(i)))
    writers.foreach { writer =>
      val found = answers(copied(path, writer)(mistake), queries)
      queries.indices.foreach(i => assert(found(i) === right(i), s"$writer: ${queries(i)}"))
    }
  }

  private def isOf(chunk: ColumnMetaData, leaf: String): Boolean =
    chunk.getPath_in_schema.asScala.mkString(".") == leaf

  /** Gives leaf columns other bounds, in the footer and in all pages. */
  private def withBounds(bounds: (String, (Array[Byte], Array[Byte]))*)(file: Path): Unit =
    ParquetFixture.editIndexes(file) { (chunk, index, _) =>
      bounds.filter(bound => isOf(chunk.getMeta_data, bound._1)).foreach { case (_, (min, max)) =>
        chunk.getMeta_data.getStatistics.setMin_value(min).setMax_value(max)
        def all(bound: Array[Byte]) = Seq.fill(index.getNull_pages.size)(ByteBuffer.wrap(bound))
        index.setMin_values(all(min).asJava).setMax_values(all(max).asJava): Unit
      }
    }

  private def number(size: Int)(put: ByteBuffer => ByteBuffer): Array[Byte] =
    put(ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)).array

  private def int(value: Int) = number(4)(_.putInt(value))
  private def long(value: Long) = number(8)(_.putLong(value))
  private def float(value: Float) = number(4)(_.putFloat(value))
  private def double(value: Double) = number(8)(_.putDouble(value))

  /** One file with the rows of a query. */
  private def table(query: String, shredding: String = "none"): String = {
    val path = newPath()
    writer(spark.sql(query).coalesce(1)).option("shredding", shredding).save(path)
    path
  }

  test("a string is found although the bounds are those of the strings that it begins with") {
    val path = table(
      """SELECT s, encode(s, 'UTF-8') AS b, to_variant_object(named_struct('n', s)) AS v
        |FROM VALUES ('zebra'), ('zebra crossing') AS t(s)""".stripMargin,
      "n string"
    )
    val zebra = "zebra".getBytes
    check(
      path,
      Seq(
        "Polars",
        "parquet-go version 18.6.0",
        "hyparquet",
        "Parquet.Net version 5.0.0 (build 5e2a3b4c)",
        "parquet.js",
        "@dsnp/parquetjs",
        "QuestDB version 9.0",
        arrow2
      ),
      "SELECT s FROM t WHERE s = 'zebra crossing'",
      "SELECT s FROM t WHERE b > encode('zebra', 'UTF-8')",
      "SELECT s FROM t WHERE v:n::string = 'zebra crossing'"
    )(
      withBounds(
        "s" -> (zebra -> zebra),
        "b" -> (zebra -> zebra),
        "v.typed_value.n.typed_value" -> (zebra -> zebra)
      )
    )
  }

  test("numbers are found although arrow2 and parquetjs call too small a value the greatest") {
    val path = table(
      """SELECT int(id) AS i, id AS l, to_variant_object(named_struct('n', id)) AS v
        |FROM range(0, 100, 1, 1)""".stripMargin,
      "n bigint"
    )
    check(
      path,
      Seq(arrow2, "parquet.js", "@dsnp/parquetjs"),
      "SELECT l FROM t WHERE i = 42",
      "SELECT l FROM t WHERE l = 42",
      "SELECT l FROM t WHERE v:n::bigint = 42",
      "SELECT max(l) FROM t"
    )(
      withBounds(
        "i" -> (int(0) -> int(9)),
        "l" -> (long(0) -> long(9)),
        "v.typed_value.n.typed_value" -> (long(0) -> long(9))
      )
    )
  }

  test("a field of null structs is null although arrow2 counts no nulls") {
    val path = table(
      """SELECT id, if(id % 2 = 0, named_struct('a', id), NULL) AS s
        |FROM range(0, 100, 1, 1)""".stripMargin
    )
    check(path, Seq(arrow2), "SELECT id FROM t WHERE s.a IS NULL") {
      ParquetFixture.editIndexes(_) { (chunk, index, _) =>
        if (isOf(chunk.getMeta_data, "s.a")) {
          chunk.getMeta_data.getStatistics.setNull_count(0)
          index.setNull_counts(index.getNull_counts.asScala.map(_ => long2Long(0)).asJava): Unit
        }
      }
    }
  }

  test("numbers are found although parquet-go forgets the values before a NaN") {
    val path = table(
      """SELECT double(d) AS d, float(d) AS f, to_variant_object(named_struct('n', double(d))) AS v
        |FROM VALUES ('1'), ('NaN'), ('5') AS t(d)""".stripMargin,
      "n double"
    )
    check(
      path,
      Seq(s"$parquetGo version 0.27.0(build )", parquetGo, segmentGo),
      "SELECT d FROM t WHERE d < 2",
      "SELECT d FROM t WHERE f < float(2)",
      "SELECT d FROM t WHERE v:n::double < 2"
    ) { file =>
      // parquet-java writes no bounds beside a NaN, and no column index.
      ParquetFixture.editFooter(file) { footer =>
        footer.getRow_groups.get(0).getColumns.asScala.map(_.getMeta_data).foreach { chunk =>
          val least = chunk.getType match {
            case Type.DOUBLE => double(5)
            case Type.FLOAT  => float(5)
            case _           => null
          }
          if (least != null) chunk.getStatistics.setMin_value(least).setMax_value(least): Unit
        }
      }
    }
  }

  test("decimals are found although their bounds are in memory that arrow-go has released") {
    val path = table("SELECT decimal(id) * 1.00000000000000000000BD AS d FROM range(0, 100, 1, 1)")
    val footer = ParquetFixture.footer(Files.readAllBytes(onlyFile(path)))
    val bound = onlyChunk(footer).getStatistics.getMax_value
    val query = "SELECT d FROM t WHERE d = 42"
    val writers = Seq("parquet-go version 18.6.0", arrow2, "@dsnp/parquetjs", "QuestDB")
    check(path, writers, query)(withBounds("d" -> (bound -> bound)))
  }

  private val fastparquet = "fastparquet-python version 2024.11.0 (build 0)"

  /** Rows with numbers from 0 to 9, of which 2 is the first category and 7 the last one. */
  private def numbers(
      settings: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder
  ): String = {
    val path = newPath()
    ParquetFixture.write(
      Files.createDirectories(Path.of(path)).resolve("part-0.parquet"),
      "message m { required int64 l; required double d; }",
      (0 until 100).map(i => Map("l" -> (i % 10).toLong, "d" -> (i % 10).toDouble)),
      settings
    )
    path
  }

  // fastparquet writes only the older fields for bounds.
  private def byCategory(file: Path): Unit = ParquetFixture.editFooter(file) { footer =>
    footer.getRow_groups.get(0).getColumns.asScala.foreach { chunk =>
      chunk.unsetColumn_index_offset()
      val statistics = chunk.getMeta_data.getStatistics
      statistics.unsetMin_value()
      statistics.unsetMax_value()
      val isLong = chunk.getMeta_data.getType == Type.INT64
      statistics.setMin(if (isLong) long(2) else double(2))
      statistics.setMax(if (isLong) long(7) else double(7))
    }
  }

  private val categories = Seq(
    "SELECT count(*) FROM t WHERE l = 9",
    "SELECT count(*) FROM t WHERE l < 2",
    "SELECT count(*) FROM t WHERE d = 1"
  )

  test("numbers are found although fastparquet takes bounds by the order of categories") {
    check(numbers(dictionary), Seq(fastparquet), categories: _*)(byCategory)
  }

  test("bounds of fastparquet are used for columns without a dictionary") {
    val path = copied(numbers(plain), fastparquet)(byCategory)
    assert(answers(path, categories) === Seq.fill(3)(Seq("[0]")))
  }

  /** Rows with a few strings, and then rows with a string each. */
  private def strings(
      settings: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder,
      count: Int = 401
  ): String = {
    val path = newPath()
    ParquetFixture.write(
      Files.createDirectories(Path.of(path)).resolve("part-0.parquet"),
      "message m { required binary s (STRING); }",
      (0 until count).map(i => Map("s" -> (if (i < 120) s"${i % 3}" else f"${i * 7 % 1000}%04d"))),
      builder => settings(builder.withPageRowCountLimit(50).withMinRowCountForPageSizeCheck(1))
    )
    path
  }

  private def onlyChunk(footer: FileMetaData): ColumnMetaData =
    footer.getRow_groups.get(0).getColumns.get(0).getMeta_data

  private val dictionary = (b: ExampleParquetWriter.Builder) => b.withDictionaryEncoding(true)
  private val fallback = dictionary.andThen(_.withDictionaryPageSize(200))
  private val plain = (b: ExampleParquetWriter.Builder) => b.withDictionaryEncoding(false)
  private val last = "SELECT s FROM t WHERE s = '0800'"

  test("a string is found in a plain page although parquet-go calls all pages dictionary-encoded") {
    val path = strings(fallback)
    val writers = Seq("0.28.0", "0.31.0").map(v => s"$parquetGo version $v(build )") :+ parquetGo
    check(path, writers, last) {
      ParquetFixture.editFooter(_) { footer =>
        val meta = onlyChunk(footer)
        val stats = meta.getEncoding_stats.asScala
        val plain = stats.filter { page =>
          page.getPage_type != PageType.DICTIONARY_PAGE && page.getEncoding.name == "PLAIN"
        }
        assert(plain.nonEmpty && plain.size < stats.size - 1)
        meta.setEncoding_stats(stats.diff(plain).asJava): Unit
      }
    }
  }

  /** Gives the chunk an empty bloom filter. */
  private def emptyFilter(file: Path): Unit = {
    val bytes = Files.readAllBytes(file)
    val footer = ParquetFixture.footer(bytes)
    val start = ParquetFixture.footerStart(bytes)
    val filter = new ByteArrayOutputStream
    val header = new BloomFilterHeader(
      32,
      BloomFilterAlgorithm.BLOCK(new SplitBlockAlgorithm),
      BloomFilterHash.XXHASH(new XxHash),
      BloomFilterCompression.UNCOMPRESSED(new Uncompressed)
    )
    Util.writeBloomFilterHeader(header, filter)
    filter.write(new Array[Byte](32))
    onlyChunk(footer)
      .setBloom_filter_offset(start.toLong)
      .setBloom_filter_length(filter.size)
    Files.write(
      file,
      ParquetFixture.assemble(bytes.take(start) ++ filter.toByteArray, footer)
    ): Unit
  }

  private val versions =
    Seq("0.26.0", "0.30.0", "0.33.0").map(v => s"$parquetGo version $v(build )")

  test("a string is found in a plain page although parquet-go's bloom filter lacks it") {
    check(strings(fallback), versions :+ parquetGo, last)(emptyFilter)
  }

  /** How many rows an empty filter leaves of forty, by the version of parquet-go. */
  private def left(path: String): Seq[Seq[Seq[String]]] = {
    val query = Seq("SELECT count(*) FROM t WHERE s = '1'")
    assert(answers(path, query) === Seq(Seq("[40]")))
    versions.map(writer => answers(copied(path, writer)(emptyFilter), query))
  }

  test("a bloom filter of parquet-go is used if the chunk has only dictionary-encoded pages") {
    // Version 0.30.0 does not know the encodings of its pages. RLE_DICTIONARY as in parquet-go.
    val expected = Seq("[0]", "[40]", "[0]").map(count => Seq(Seq(count)))
    assert(
      left(strings(dictionary.andThen(_.withWriterVersion(PARQUET_2_0)), count = 120)) === expected
    )
  }

  test("a bloom filter of parquet-go is used if the chunk has no dictionary") {
    val expected = Seq.fill(3)(Seq(Seq("[0]")))
    assert(left(strings(plain, count = 120)) === expected)
  }
}
