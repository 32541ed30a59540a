package io.github.variantshredded.read.extract

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.extraction.PathStep.{Element, Field}
import io.github.variantshredded.read.file.{CountedFiles, FileRows}
import io.github.variantshredded.testing.{LocalParquet, PathSuite}
import org.apache.spark.sql.types.DataType

/** The bytes asked of the file system are those of the column chunks that are needed. */
class BytesReadSuite extends PathSuite {

  private def write(events: String): Path = {
    val path = newPath()
    val df = spark.range(0, 500, 1, 1).selectExpr(s"parse_json($events) AS v")
    writer(df)
      .option(
        "shredding",
        """{"v": "a bigint, o struct<b string, c bigint>, l array<struct<price bigint, n bigint>>"}"""
      )
      .save(path)
    onlyFile(path)
  }

  private val o = "named_struct('b', concat('text ', id), 'c', id)"
  private val l = "transform(sequence(1, 1 + cast(id % 3 AS int)), " +
    "x -> named_struct('price', x * id, 'n', x))"

  /** Every field has the type it is shredded by. */
  private lazy val typed = write(s"to_json(named_struct('a', id, 'o', $o, 'l', $l))")

  /** One in nine `a` is a string, and there is a field that is not shredded. */
  private lazy val mixed = write(
    s"if(id % 9 = 0, to_json(named_struct('a', 'no number', 'o', $o, 'l', $l, 'z', id)), " +
      s"to_json(named_struct('a', id, 'o', $o, 'l', $l, 'z', id)))"
  )

  private def value(ddl: String): ExtractionResult =
    ExtractionResult.Value(DataType.fromDDL(ddl), failOnError = false, Some("UTC"))

  /** Checks that an extraction reads just the chunks of the leaves that end in `leaves`. */
  private def check(
      file: Path,
      steps: Seq[PathStep],
      what: ExtractionResult,
      leaves: String*
  ): Unit = {
    val ranges = CountedFiles.during {
      FileRows.extract(
        file,
        "v",
        Seq(ScanExtraction(Seq("v"), steps, what)),
        FileRows.readSettings(strict = true),
        settings = CountedFiles.settings,
        scheme = CountedFiles.Scheme
      )(_ => ()): Unit
    }
    val reader = LocalParquet.open(file)
    try {
      val chunks = reader.getRowGroups.asScala.flatMap(_.getColumns.asScala)
      val end = chunks.map(c => c.getStartingPos + c.getTotalSize).max
      val wanted = chunks.filter(chunk => leaves.contains(chunk.getPath.toDotString))
      assert(wanted.map(_.getPath.toDotString).toSet == leaves.toSet)
      val read = ranges.filter(_._1 < end)
      assert(read.map(_._2.toLong).sum == wanted.map(_.getTotalSize).sum)
      read.foreach { case (position, length) =>
        val within = wanted.exists { chunk =>
          position >= chunk.getStartingPos && position < chunk.getStartingPos + chunk.getTotalSize
        }
        assert(within, s"$length bytes at $position are of no leaf that is needed")
      }
    } finally reader.close()
  }

  private val A = Seq(Field("a"))

  test("a field costs its typed_value") {
    check(typed, A, value("bigint"), "v.typed_value.a.typed_value")
    check(
      typed,
      Seq(Field("o"), Field("b")),
      value("string"),
      "v.typed_value.o.typed_value.b.typed_value"
    )
  }

  test("a field with other types in it costs its value too, and the metadata") {
    check(
      mixed,
      A,
      value("bigint"),
      "v.metadata",
      "v.typed_value.a.value",
      "v.typed_value.a.typed_value"
    )
  }

  test("a shredded field does not cost the residual of the object around it") {
    check(
      mixed,
      Seq(Field("o"), Field("b")),
      value("string"),
      "v.typed_value.o.typed_value.b.typed_value"
    )
  }

  test("a field that is not shredded costs the residual that may hold it") {
    check(mixed, Seq(Field("z")), value("bigint"), "v.metadata", "v.value")
    check(typed, Seq(Field("z")), value("bigint"))
  }

  test("a field of the objects in an array costs its own leaf") {
    val price = "v.typed_value.l.typed_value.list.element.typed_value.price.typed_value"
    check(typed, Seq(Field("l")), value("array<struct<price bigint>>"), price)
    check(typed, Seq(Field("l"), Element(0), Field("price")), value("bigint"), price)
  }

  // An empty `value` below an object is the cheapest way to see where the object is.
  test("a struct costs its fields, and what tells that it is there") {
    val c = "v.typed_value.o.typed_value.c"
    check(typed, Seq(Field("o")), value("struct<c bigint>"), s"$c.value", s"$c.typed_value")
  }

  test("whether there is a Variant null costs no typed leaf") {
    check(typed, A, ExtractionResult.IsVariantNull)
    check(mixed, A, ExtractionResult.IsVariantNull, "v.metadata", "v.typed_value.a.value")
  }

  test("a sub-Variant costs its own leaves") {
    check(
      typed,
      Seq(Field("o")),
      value("variant"),
      "v.metadata",
      "v.typed_value.o.typed_value.b.value",
      "v.typed_value.o.typed_value.b.typed_value",
      "v.typed_value.o.typed_value.c.typed_value"
    )
  }
}
