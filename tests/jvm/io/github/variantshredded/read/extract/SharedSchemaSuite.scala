package io.github.variantshredded.read.extract

import java.nio.file.Path

import io.github.variantshredded.extraction.{ExtractionResult, ScanExtraction}
import io.github.variantshredded.extraction.PathStep.{Element, Field}
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.types.DataType

/** Files with one schema, in which different leaves hold something. */
class SharedSchemaSuite extends PathSuite {

  private def write(json: String): Path = {
    val path = newPath()
    writer(spark.range(0, 30, 1, 1).selectExpr(s"parse_json($json) AS v"))
      .option("shredding", """{"v": "a bigint, l array<struct<n bigint>>"}""")
      .save(path)
    onlyFile(path)
  }

  private val typed = "to_json(named_struct('a', id, 'l', array(named_struct('n', id))))"
  private val untyped =
    "to_json(named_struct('a', string(id), 'l', array(named_struct('n', string(id)))))"
  private val absent = "to_json(named_struct('a', null, 'l', array(named_struct('m', id))))"

  private def read(file: Path, strict: Boolean): Seq[(Option[Long], Option[Long])] = {
    val number =
      ExtractionResult.Value(DataType.fromDDL("bigint"), failOnError = false, Some("UTC"))
    val extractions = Seq(Seq(Field("a")), Seq(Field("l"), Element(0), Field("n")))
      .map(ScanExtraction(Seq("v"), _, number))
    FileRows.extract(file, "v", extractions, FileRows.readSettings(strict)) { row =>
      def number(i: Int) = Option.unless(row.isNullAt(i))(row.getLong(i))
      (number(0), number(1))
    }
  }

  test("each is read by its own footer, in any order") {
    val numbers = (0L until 30L).map(i => (Option(i), Option(i)))
    val nothing = numbers.map(_ => (Option.empty[Long], Option.empty[Long]))
    val files = Seq(write(typed) -> numbers, write(untyped) -> numbers, write(absent) -> nothing)
    for {
      strict <- Seq(true, false)
      order <- files.permutations
      (file, expected) <- order
    } assert(read(file, strict) === expected)
  }
}
