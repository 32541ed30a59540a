package io.github.variantshredded.write.file

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.write.WriteSuite
import org.apache.spark.sql.functions._

/**
 * Leaves whose names differ only in where a dot is part of a name. parquet-java's writer keeps bloom
 * filters by the name with dots, so that two such leaves would both get that of the last.
 */
class SharedDottedNamesSuite extends WriteSuite {

  private val Rows = 400

  // $.a.b and $['a.typed_value.b'] are the leaf v.typed_value.a.typed_value.b.typed_value.
  private def rows = json((0 until Rows).map { i =>
    s"""{"a": {"b": "x$i"}, "a.typed_value.b": "y$i", "c": "z$i"}"""
  }: _*)

  private def withFilters(file: Path): Set[Seq[String]] =
    footer(file).getBlocks.asScala
      .flatMap(_.getColumns.asScala)
      .filter(_.getBloomFilterOffset >= 0)
      .map(_.getPath.toArray.toSeq)
      .toSet

  private def found(format: String, path: Path, condition: String): Long =
    spark.read.format(format).load(path.toString).where(condition).count()

  private val c = Seq("v", "typed_value", "c", "typed_value")

  // Without dictionaries, which would answer before the filters.
  private val plain = "parquet.enable.dictionary" -> "false"

  private def assertNothingLost(path: Path): Unit = Seq(0, 7, Rows - 1).foreach { i =>
    assert(found("variant-shredded", path, s"v:a.b::string = 'x$i'") === 1)
    assert(found("variant-shredded", path, s"v:['a.typed_value.b']::string = 'y$i'") === 1)
    assert(found("variant-shredded", path, s"v:c::string = 'z$i'") === 1)
    assert(found("parquet", path, s"v:a.b::string = 'x$i'") === 1)
  }

  test("chosen paths with one dotted name get no bloom filter, neither of the two alone") {
    Seq("$.a.b, $['a.typed_value.b'], $.c", "$.a.b, $.c", "$['a.typed_value.b'], $.c").foreach {
      paths =>
        val path = written(rows, "bloomFilter" -> paths, plain)
        assert(withFilters(onlyFile(path)) === Set(c), paths)
        assertNothingLost(path)
    }
  }

  test("Parquet's own option makes no bloom filter for them either") {
    val path = written(rows, "parquet.bloom.filter.enabled" -> "true", plain)
    val filters = withFilters(onlyFile(path))
    assert(filters.contains(c))
    assert(filters.contains(Seq("n")))
    assert(!filters.exists(_.mkString(".") == "v.typed_value.a.typed_value.b.typed_value"))
    assertNothingLost(path)
  }

  test("ordinary columns, and an ordinary column beside a Variant") {
    val df = rows
      .withColumn("s", struct(concat(lit("s"), col("n")).as("t")))
      .withColumn("s.t", concat(lit("u"), col("n")))
      .withColumn("v.typed_value.c.typed_value", concat(lit("w"), col("n")))
    val path = written(df, "parquet.bloom.filter.enabled" -> "true", plain)
    val filters = withFilters(onlyFile(path))
    assert(filters.contains(Seq("n")))
    assert(!filters.exists(leaf => Set("s.t", c.mkString("."))(leaf.mkString("."))))
    Seq("variant-shredded", "parquet").foreach { format =>
      assert(found(format, path, "s.t = 's7'") === 1)
      assert(found(format, path, "`s.t` = 'u7'") === 1)
      assert(found(format, path, "`v.typed_value.c.typed_value` = 'w7'") === 1)
    }
    assertNothingLost(path)
  }

  test("a bloom filter of a file by parquet-java is not trusted where another leaf has the name") {
    val directory = Files.createDirectories(newPath())
    ParquetFixture.write(
      directory.resolve("part.parquet"),
      "message m { optional group s { optional int64 t; } optional int64 s.t; optional int64 n; }",
      (0 until Rows).map { i =>
        Map("s" -> Map("t" -> i.toLong), "s.t" -> (i + 1000L) * 7, "n" -> i * 3L)
      },
      _.withBloomFilterEnabled(true).withDictionaryEncoding(false)
    )
    val leaves = withFilters(onlyFile(directory))
    assert(leaves === Set(Seq("s", "t"), Seq("s.t"), Seq("n")))
    Seq(1, 150, Rows - 2).foreach { i =>
      assert(found("variant-shredded", directory, s"s.t = $i") === 1)
      assert(found("variant-shredded", directory, s"`s.t` = ${(i + 1000) * 7}") === 1)
      assert(found("variant-shredded", directory, s"n = ${i * 3}") === 1)
    }
  }
}
