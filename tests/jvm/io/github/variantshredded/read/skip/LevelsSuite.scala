package io.github.variantshredded.read.skip

import java.nio.file.{Files, Path}

import io.github.variantshredded.VariantTree
import io.github.variantshredded.extraction.{Extracted, PathExtraction, PathStep}
import io.github.variantshredded.predicate.{Comparison, Operand, RowPredicate, ValueTest}
import io.github.variantshredded.predicate.RowPredicate._
import io.github.variantshredded.predicate.ValueTest._
import io.github.variantshredded.read.ParquetFixture
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.spark.sql.types._
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

/** What each level skips of a file made for it. */
class LevelsSuite extends AnyFunSuite with BeforeAndAfterEach {
  private val path: Path = Files.createTempFile("levels", ".parquet")

  override protected def afterEach(): Unit = Files.deleteIfExists(path): Unit

  private val schema =
    """message m {
      |  optional group v {
      |    required binary metadata;
      |    optional binary value;
      |    optional group typed_value {
      |      required group n { optional binary value; optional int64 typed_value; }
      |      required group s { optional binary value; optional binary typed_value (STRING); }
      |      required group l {
      |        optional binary value;
      |        optional group typed_value (LIST) { repeated group list { required group element {
      |          optional binary value;
      |          optional group typed_value {
      |            required group p { optional binary value; optional double typed_value; }
      |            required group q { optional binary value; optional int32 typed_value; }
      |          }
      |        } } }
      |      }
      |    }
      |  }
      |}""".stripMargin

  private val metadata = VariantTree.encode(VariantTree.Null)._1
  private val residual = VariantTree.encode(VariantTree.Str("x"))._2
  private val variantNull = Array[Byte](0)

  /** 1000 rows: `n` grows, `s` is one of ten, `l` has two elements. */
  private def row(i: Int): Map[String, Any] = fields(
    Map("typed_value" -> i.toLong),
    Map("typed_value" -> s"text ${2 * (i % 10)}"),
    Seq(
      Map("p" -> Map("typed_value" -> i.toDouble), "q" -> Map("typed_value" -> i)),
      Map("p" -> Map("typed_value" -> (i + 0.5)), "q" -> Map("typed_value" -> -i))
    )
  )

  private def fields(
      n: Map[String, Any],
      s: Map[String, Any],
      l: Seq[Map[String, Any]]
  ): Map[String, Any] = {
    val elements = l.map(element => Map("element" -> Map("typed_value" -> element)))
    Map(
      "v" -> Map[String, Any](
        "metadata" -> metadata,
        "typed_value" -> Map(
          "n" -> n,
          "s" -> s,
          "l" -> Map("typed_value" -> Map("list" -> elements))
        )
      )
    )
  }

  /** Row groups of 250 rows, pages of 50. */
  private def write(
      rows: Seq[ParquetFixture.Row],
      settings: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder = identity
  ): Unit = {
    Files.deleteIfExists(path)
    ParquetFixture.write(
      path,
      schema,
      rows,
      builder =>
        settings(
          builder
            .withRowGroupRowCountLimit(250)
            .withPageRowCountLimit(50)
            .withMinRowCountForPageSizeCheck(1)
            .withDictionaryEncoding(false)
        )
    )
  }

  private def cast(ddl: String, strict: Boolean = false) =
    Extracted.Value(DataType.fromDDL(ddl), strict, Some("UTC"))

  private def kept(
      field: String,
      what: Extracted,
      strict: Boolean = true
  )(predicate: Operand => RowPredicate): SkippedFile.Kept = {
    val open = new SkippedFile(path)
    try {
      val filter = open.filter(
        predicate(Operand.OfVariant(0, what.dataType)),
        variants = StructType.fromDDL("v variant"),
        extractions = Seq(PathExtraction(Seq("v"), Seq(PathStep.Field(field)), what)),
        strict = strict
      )
      open.kept(filter)
    } finally open.close()
  }

  private def rows(from: Int, until: Int): Set[Long] = (from until until).map(_.toLong).toSet

  private def is(literals: Any*): Operand => RowPredicate =
    Test(_, OneOf(literals.toVector))

  private val all = rows(0, 1000)

  test("a field is skipped by row group and by page") {
    write((0 until 1000).map(row))
    val one = kept("n", cast("bigint"))(is(420L))
    assert(one.statistics === rows(250, 500))
    assert(one.pages === rows(400, 450))
    assert(one.all === rows(400, 450))
    val range = kept("n", cast("decimal(20,2)")) { n =>
      And(
        Test(n, Compare(Comparison.GreaterOrEqual, Decimal(BigDecimal("449.5"), 20, 2))),
        Test(n, Compare(Comparison.Less, Decimal(BigDecimal("510"), 20, 2)))
      )
    }
    assert(range.statistics === rows(250, 750))
    assert(range.pages === rows(450, 550))
    val either = kept("n", cast("double"))(n => Or(is(3.0)(n), is(999.0)(n)))
    assert(either.statistics === rows(0, 250) ++ rows(750, 1000))
    assert(either.pages === rows(0, 50) ++ rows(950, 1000))
    assert(kept("n", cast("bigint"))(is(-1L)).pages === Set.empty)
    assert(kept("n", cast("bigint"))(Test(_, ValueTest.IsNull)).statistics === Set.empty)
    assert(kept("n", cast("bigint"))(Test(_, ValueTest.IsNotNull)).all === all)
  }

  test("a residual keeps its page, a Variant null does not") {
    val some = Map(
      120 -> fields(Map("value" -> residual), Map(), Nil),
      620 -> fields(Map("value" -> variantNull), Map(), Nil)
    )
    write((0 until 1000).map(i => some.getOrElse(i, row(i))))
    val one = kept("n", cast("bigint"))(is(420L))
    assert(one.statistics === rows(0, 500))
    assert(one.pages === rows(100, 150) ++ rows(400, 450))
  }
}
