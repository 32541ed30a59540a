package io.github.variantshredded.read.footer

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.read.file.{FileRows, ParquetFixture}
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

class RenamedFooterSuite extends AnyFunSuite {

  /** A file by parquet-java, in which `s`.`t` and `s.t` have the bloom filter of the latter. */
  private def footer: FooterCache.Footer = {
    val path = Files.createTempFile("renamed", ".parquet")
    try {
      Files.delete(path)
      ParquetFixture.write(
        path,
        "message m { optional group s { optional int64 t; } optional int64 s.t; optional int64 n; }",
        (0 until 400).map(i => Map("s" -> Map("t" -> i.toLong), "s.t" -> i * 7L, "n" -> i * 3L)),
        _.withBloomFilterEnabled(true).withDictionaryEncoding(false)
      )
      val file = new HadoopPath(path.toUri)
      val status = file.getFileSystem(FileRows.conf).getFileStatus(file)
      val input = HadoopInputFile.fromStatus(status, FileRows.conf)
      val options = HadoopReadOptions.builder(FileRows.conf, file).build()
      val tail = Using.resource(input.newStream())(FileTail.read(_, status))
      FooterReader.read(input, options, tail, status)
    } finally Files.delete(path)
  }

  private def withFilters(footer: FooterCache.Footer): Set[String] =
    footer.metadata.getBlocks.asScala
      .flatMap(_.getColumns.asScala)
      .filter(_.getBloomFilterOffset >= 0)
      .map(_.getPath.toArray.mkString("/"))
      .toSet

  Seq(
    (
      "a column is renamed",
      "s STRUCT<t: BIGINT>, c BIGINT, n BIGINT",
      "s STRUCT<t: BIGINT>, `s.t` BIGINT, n BIGINT"
    ),
    (
      "a struct is renamed",
      "x STRUCT<t: BIGINT>, `s.t` BIGINT, n BIGINT",
      "s STRUCT<t: BIGINT>, `s.t` BIGINT, n BIGINT"
    ),
    ("a column is dropped", "`s.t` BIGINT, n BIGINT", "`s.t` BIGINT, n BIGINT")
  ).foreach { case (change, table, stored) =>
    test(s"a bloom filter that two leaf columns share is that of neither when $change") {
      val read = footer
      assert(withFilters(read) === Set("s/t", "s.t", "n"))
      val names =
        ColumnNames(StructType.fromDDL(table), StructType.fromDDL(stored), caseSensitive = true)
      assert(withFilters(RenamedFooter(read, Some(names))) === Set("n"))
      assert(withFilters(read) === Set("s/t", "s.t", "n"))
    }
  }
}
