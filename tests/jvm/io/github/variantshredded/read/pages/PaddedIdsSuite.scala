package io.github.variantshredded.read.pages

import io.github.variantshredded.read.file.{FileRows, MalformedParquet, PageEdit, ParquetFixture}
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.parquet.format.PageType
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** Bytes behind the last dictionary id of a page, which no decoder reads. */
class PaddedIdsSuite extends AnyFunSuite with TemporaryFolder {

  for {
    v2 <- Seq(false, true)
    nulls <- Seq(false, true)
    padding <- Seq(1, 3)
  } test(s"a page with $padding zeros behind its ids is read, v2 $v2, nulls $nulls") {
    val path = folder.resolve(s"$v2$nulls$padding.parquet")
    def number(i: Int) = Option.unless(nulls && i % 3 == 0)(1000 + i % 2)
    ParquetFixture.write(
      path,
      "message m { optional int32 n; }",
      (0 until 99).map(i => number(i).map("n" -> _).toMap),
      _.withPageWriteChecksumEnabled(false)
        .withDictionaryEncoding(true)
        .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
        .withWriterVersion(MalformedParquet.version(v2))
    )
    PageEdit.editPage(path, "n", _.getType != PageType.DICTIONARY_PAGE) { (header, body) =>
      val edited = body ++ new Array[Byte](padding)
      header.setCompressed_page_size(edited.length).setUncompressed_page_size(edited.length)
      edited
    }
    val found = FileRows.read(path, StructType.fromDDL("n int")) { row =>
      Option.unless(row.isNullAt(0))(row.getInt(0))
    }
    assert(found === (0 until 99).map(number))
  }
}
