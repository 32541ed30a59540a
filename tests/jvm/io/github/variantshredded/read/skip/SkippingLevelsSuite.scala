package io.github.variantshredded.read.skip

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.{Comparison, Operand, SkippingPredicate, ValueTest}
import io.github.variantshredded.predicate.SkippingPredicate._
import io.github.variantshredded.predicate.ValueTest._
import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.testing.VariantTree
import org.apache.parquet.format.ColumnMetaData
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

/** What each level skips of a file made for it. */
class SkippingLevelsSuite extends AnyFunSuite with BeforeAndAfterEach {
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
    ExtractionResult.Value(DataType.fromDDL(ddl), strict, Some("UTC"))

  private def kept(
      field: String,
      what: ExtractionResult,
      strict: Boolean = true
  )(predicate: Operand => SkippingPredicate): SkippedFile.Kept =
    keptAt(Seq(PathStep.Field(field)), what, strict)(predicate)

  private def keptAt(
      steps: Seq[PathStep],
      what: ExtractionResult,
      strict: Boolean = true
  )(predicate: Operand => SkippingPredicate): SkippedFile.Kept =
    opened(steps, what, strict, predicate)(_ kept _)

  private def opened[T](
      steps: Seq[PathStep],
      what: ExtractionResult,
      strict: Boolean,
      predicate: Operand => SkippingPredicate
  )(body: (SkippedFile, FileSkipping) => T): T = {
    val open = new SkippedFile(path)
    try {
      val filter = open.filter(
        predicate(Operand.OfVariant(0, what.dataType)),
        variants = StructType.fromDDL("v variant"),
        extractions = Seq(ScanExtraction(Seq("v"), steps, what)),
        strict = strict
      )
      body(open, filter)
    } finally open.close()
  }

  private def rows(from: Int, until: Int): Set[Long] = (from until until).map(_.toLong).toSet

  private def is(literals: Any*): Operand => SkippingPredicate =
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

  private def text(text: String) = UTF8String.fromString(text)

  private def string = cast("string")

  test("files without statistics are kept") {
    write((0 until 1000).map(row), _.withStatisticsEnabled(false))
    assert(kept("n", cast("bigint"))(is(-1L)).all === all)
    assert(kept("n", cast("bigint"))(Test(_, ValueTest.IsNull)).all === all)
  }

  test("empty bounds of typed strings in a column index say nothing") {
    write((0 until 1000).map(row))
    def pages(test: ValueTest) = kept("s", string)(Test(_, test)).pages
    assert(pages(OneOf(Vector(text("zz")))) === Set.empty)
    ParquetFixture.editIndexes(path) { (chunk, index, _) =>
      if (chunk.getMeta_data.getPath_in_schema.asScala.contains("s")) {
        val empty = Seq.fill(index.getNull_pages.size)(ByteBuffer.allocate(0)).asJava
        index.setMin_values(empty).setMax_values(empty): Unit
      }
    }
    assert(pages(OneOf(Vector(text("zz")))) === all)
    assert(pages(StartsWith(text("z"))) === all)
    assert(pages(ValueTest.IsNull) === Set.empty)
  }

  test("a dictionary tells that a value is not there") {
    write((0 until 1000).map(row), _.withDictionaryEncoding(true))
    val missing = kept("s", string)(is(text("text 11")))
    assert(missing.statistics === all)
    assert(missing.dictionaries === Set.empty)
    assert(missing.all === Set.empty)
    assert(kept("s", string)(is(text("text 12"))).dictionaries === all)
    val none = kept("s", string)(Test(_, NoneOf((0 to 9).map(i => text(s"text ${2 * i}")).sorted)))
    assert(none.statistics === all && none.dictionaries === Set.empty)
    assert(kept("s", string)(Test(_, StartsWith(text("text 11")))).dictionaries === Set.empty)
    // Nothing of nulls is in a dictionary.
    assert(kept("s", string)(Test(_, ValueTest.IsNotNull)).dictionaries === all)
  }

  test("a dictionary says nothing of pages that are not encoded by it") {
    // Each row group begins with a dictionary and goes on without.
    def value(i: Int) = if (i % 250 < 120) s"${i % 3}" else f"${i * 7 % 1000}%04d"
    write(
      (0 until 1000).map { i =>
        fields(Map("typed_value" -> i.toLong), Map("typed_value" -> value(i)), Nil)
      },
      _.withDictionaryEncoding(true).withDictionaryPageSize(200)
    )
    val open = new SkippedFile(path)
    try
      open.blocks.foreach { block =>
        val chunk = block.getColumns.asScala.find(_.getPath.toDotString.contains(".s.typed")).get
        assert(chunk.getEncodingStats.hasDictionaryEncodedPages)
        assert(chunk.getEncodingStats.hasNonDictionaryEncodedPages)
      }
    finally open.close()
    (0 until 1000).foreach { i =>
      if (i % 83 == 0) assert(kept("s", string)(is(text(value(i)))).dictionaries.contains(i.toLong))
    }
  }

  /** The first chunk of `s` in the footer that `edit` changes. */
  private def editChunk(edit: ColumnMetaData => Unit): Unit =
    ParquetFixture.editFooter(path) { footer =>
      footer.getRow_groups.asScala.foreach { group =>
        val chunks = group.getColumns.asScala.map(_.getMeta_data)
        chunks.filter(_.getPath_in_schema.asScala.contains("s")).foreach(edit)
      }
    }

  test("a dictionary that cannot be read says nothing") {
    def missing() =
      opened(Seq(PathStep.Field("s")), string, strict = true, is(text("text 11"))) {
        (open, filter) =>
          open.rowsOf(filter)(v => v.byStatistics() && v.byDictionaries(open.bytes, open.codecs))
      }
    def rewrite(): Unit = write(
      (0 until 1000).map(row),
      _.withDictionaryEncoding(true).withPageWriteChecksumEnabled(true)
    )
    rewrite()
    assert(missing() === Set.empty)
    // A flipped bit.
    val open = new SkippedFile(path)
    val ends =
      try
        open.blocks
          .map { block =>
            block.getColumns.asScala.find(_.getPath.toDotString.contains(".s.typed")).get
          }
          .map(_.getFirstDataPageOffset)
      finally open.close()
    val bytes = Files.readAllBytes(path)
    ends.foreach(end => bytes(end.toInt - 1) = (bytes(end.toInt - 1) ^ 1).toByte)
    Files.write(path, bytes)
    assert(missing() === all)
    // Offsets that the file does not have.
    Seq(5L, -3L, 1L << 60).foreach { offset =>
      rewrite()
      editChunk { chunk =>
        if (chunk.isSetDictionary_page_offset) chunk.setDictionary_page_offset(offset): Unit
      }
      assert(missing() === all)
    }
  }

  test("a bloom filter tells that a value is not there") {
    write(
      (0 until 1000).map { i =>
        fields(Map("typed_value" -> 2L * i), Map("typed_value" -> s"text ${2 * i}"), Nil)
      },
      _.withBloomFilterEnabled(true).withMaxBloomFilterBytes(4096)
    )
    def bloom(field: String, ddl: String, literal: Any) =
      kept(field, cast(ddl))(is(literal))
    assert(bloom("n", "bigint", 421L).statistics === rows(0, 250))
    assert(bloom("n", "bigint", 421L).bloomFilters === Set.empty)
    assert(bloom("n", "bigint", 420L).bloomFilters === rows(0, 250))
    assert(bloom("n", "int", 421).bloomFilters === Set.empty)
    assert(bloom("n", "int", 420).bloomFilters === rows(0, 250))
    val half = Decimal(BigDecimal("420.50"), 20, 2)
    assert(bloom("n", "decimal(20,2)", half).bloomFilters === Set.empty)
    val whole = Decimal(BigDecimal("420.00"), 20, 2)
    assert(bloom("n", "decimal(20,2)", whole).bloomFilters === rows(0, 250))
    // Several integers may be one double.
    assert(bloom("n", "double", 421.0).bloomFilters === rows(0, 250))
    assert(bloom("s", "string", text("text 15")).statistics.nonEmpty)
    assert(bloom("s", "string", text("text 15")).bloomFilters === Set.empty)
    assert(bloom("s", "string", text("text 16")).bloomFilters.contains(8L))
    // What statistics say of the second side counts, too: rows have no residual values.
    def either(one: String, other: String)(operand: Operand) =
      SkippingPredicate.Or(is(text(one))(operand), is(text(other))(operand))
    assert(kept("s", string)(either("text 15", "text 17")).statistics.nonEmpty)
    assert(kept("s", string)(either("text 15", "text 17")).bloomFilters === Set.empty)
    assert(kept("s", string)(either("text 15", "text 16")).bloomFilters.contains(8L))
    assert(kept("s", string)(Test(_, NoneOf(Vector(text("text 15"))))).bloomFilters === all)
    // Of a conversion's result no hash is known.
    val conversion = Cast(BoundReference(0, LongType, nullable = true), DoubleType)
    val converted = OneOf(Vector(421.0), Some(Conversion(conversion)))
    assert(kept("n", cast("bigint"))(Test(_, converted)).bloomFilters === rows(0, 250))
  }

  test("a bloom filter does not hide that a cast fails") {
    write(
      (0 until 1000).map { i =>
        val number = if (i == 600) 1L << 40 else i.toLong
        fields(Map("typed_value" -> number), Map(), Nil)
      },
      _.withBloomFilterEnabled(true).withMaxBloomFilterBytes(4096)
    )
    val missing = kept("n", cast("int", strict = true))(is(100000))
    assert(missing.statistics === rows(500, 750))
    assert(missing.bloomFilters === rows(500, 750))
    assert(missing.pages === rows(600, 650))
  }

  test("a bloom filter that cannot be read says nothing") {
    def missing() = kept("s", string)(is(text("text 11")))
    def rewrite(): Unit = write(
      (0 until 1000).map(row),
      _.withBloomFilterEnabled(true).withMaxBloomFilterBytes(1024)
    )
    rewrite()
    assert(missing().statistics === all && missing().bloomFilters === Set.empty)
    // Shorter than it says itself: the rest is not there, or would be zeros.
    Seq(10, 40, 200).foreach { length =>
      rewrite()
      editChunk(_.setBloom_filter_length(length): Unit)
      assert(missing().bloomFilters === all)
    }
    // Of old files the length is not known.
    rewrite()
    editChunk(_.unsetBloom_filter_length())
    assert(missing().bloomFilters === Set.empty)
    Seq(1L << 60, Files.size(path) - 3, 0L).foreach { offset =>
      rewrite()
      editChunk(_.setBloom_filter_offset(offset): Unit)
      assert(missing().bloomFilters === all)
    }
  }

  private def element(fields: Int*)(test: ValueTest)(operand: Operand): SkippingPredicate =
    AnyElement(operand, fields, test)

  private val prices = "array<struct<p double>>"

  test("elements of arrays") {
    write((0 until 1000).map(row))
    val above = element(0)(Compare(Comparison.Less, 120.0)) _
    Seq(true, false).foreach { strict =>
      assert(kept("l", cast(prices, strict))(above).statistics === rows(0, 250))
      assert(kept("l", cast(prices, strict))(above).pages === rows(0, 150))
    }
    // NaN may be anywhere.
    val greater = element(0)(Compare(Comparison.Greater, 5000.0)) _
    assert(kept("l", cast(prices))(greater).all === all)
    assert(kept("l", cast(prices))(element(0)(ValueTest.IsNull)).statistics === Set.empty)
    // A field that is nowhere is null.
    val none = cast("array<struct<p double, z int>>")
    assert(kept("l", none)(element(1)(ValueTest.IsNotNull)).statistics === Set.empty)
    assert(kept("l", none)(element(1)(ValueTest.IsNull)).statistics === all)
    val index = Seq(PathStep.Field("l"), PathStep.Element(1), PathStep.Field("p"))
    assert(
      keptAt(index, cast("double"))(Test(_, Compare(Comparison.Less, 120.0))).pages === rows(0, 150)
    )
    assert(keptAt(index, cast("double"))(Test(_, ValueTest.IsNull)).pages === all)
  }

  test("a strict cast of elements fails at any of its fields") {
    write((0 until 1000).map(row))
    val above = element(0)(Compare(Comparison.Less, 120.0)) _
    def with2(ddl: String, strict: Boolean) =
      kept("l", cast(s"array<struct<p double, q $ddl>>", strict))(above).pages
    assert(with2("bigint", strict = true) === rows(0, 150))
    assert(with2("tinyint", strict = true) === all)
    assert(with2("date", strict = true) === all)
    assert(with2("tinyint", strict = false) === rows(0, 150))
    assert(with2("array<int>", strict = true) === all)
    // A struct of what is a number, an array of what is an object.
    assert(kept("l", cast("array<int>", strict = true))(element()(is0)).pages === all)
    assert(kept("l", cast("array<int>"))(element()(is0)).pages === Set.empty)
    assert(kept("n", cast("array<int>", strict = true))(element()(is0)).pages === all)
    assert(kept("n", cast("array<int>"))(element()(is0)).pages === Set.empty)
  }

  private def is0: ValueTest = OneOf(Vector(0))

  test("residuals within arrays keep their pages") {
    val typed = row(0)
    def with1(residualAt: Map[String, Any]): Int => Map[String, Any] = i =>
      if (i != 420) row(i)
      else {
        val variant = typed("v").asInstanceOf[Map[String, Any]]
        val fields = variant("typed_value").asInstanceOf[Map[String, Any]]
        typed + ("v" -> (variant + ("typed_value" -> (fields + ("l" -> residualAt)))))
      }
    def elements(one: Map[String, Any]) =
      Map("typed_value" -> Map("list" -> Seq(Map("element" -> one))))
    val below = element(0)(Compare(Comparison.Less, 120.0)) _
    def pages(l: Map[String, Any], strict: Boolean) = {
      write((0 until 1000).map(with1(l)))
      kept("l", cast(prices, strict))(below).pages -- rows(0, 150)
    }
    val price = elements(Map("typed_value" -> Map("p" -> Map("value" -> residual))))
    assert(pages(price, strict = true) === rows(400, 450))
    assert(pages(price, strict = false) === rows(400, 450))
    // No struct: an error, or null.
    val one = elements(Map("value" -> residual))
    assert(pages(one, strict = true) === rows(400, 450))
    assert(pages(one, strict = false) === Set.empty)
    val other = elements(Map("typed_value" -> Map("q" -> Map("value" -> residual))))
    write((0 until 1000).map(with1(other)))
    def both(strict: Boolean) =
      kept("l", cast("array<struct<p double, q int>>", strict))(below).pages -- rows(0, 150)
    assert(both(strict = true) === rows(400, 450))
    assert(both(strict = false) === Set.empty)
    assert(pages(Map("value" -> residual), strict = true) === rows(400, 450))
  }

  test("in permissive mode, a residual value of the object around a field keeps its page") {
    val broken = row(420)("v").asInstanceOf[Map[String, Any]] + ("value" -> residual)
    write((0 until 1000).map(i => if (i == 420) Map("v" -> broken) else row(i)))
    assert(kept("n", cast("bigint"), strict = true)(is(3L)).pages === rows(0, 50))
    assert(
      kept("n", cast("bigint"), strict = false)(is(3L)).pages === rows(0, 50) ++ rows(400, 450)
    )
    val below = element(0)(Compare(Comparison.Less, 20.0)) _
    assert(kept("l", cast(prices), strict = true)(below).pages === rows(0, 50))
    assert(kept("l", cast(prices), strict = false)(below).pages === rows(0, 50) ++ rows(400, 450))
    // A field that is not shredded can only be there.
    Seq(true, false).foreach { strict =>
      assert(kept("z", cast("bigint"), strict)(is(3L)).pages === rows(400, 450))
      assert(kept("z", cast("bigint"), strict)(Test(_, ValueTest.IsNull)).pages === all)
      assert(kept("z", ExtractionResult.IsPresent, strict)(is(true)).pages === rows(400, 450))
      assert(kept("z", ExtractionResult.IsPresent, strict)(is(false)).pages === all)
    }
  }

  test("IsPresent and IsVariantNull skip pages by null counts") {
    val some = Map(
      120 -> fields(Map("value" -> residual), Map(), Nil),
      420 -> fields(Map(), Map(), Nil),
      620 -> fields(Map("value" -> variantNull), Map(), Nil)
    )
    write((0 until 1000).map(i => some.getOrElse(i, row(i))))
    assert(kept("n", ExtractionResult.IsPresent)(is(true)).pages === all)
    assert(
      kept("n", ExtractionResult.IsPresent)(is(false)).pages === Seq(100, 400, 600)
        .flatMap(i => rows(i, i + 50))
        .toSet
    )
    assert(
      kept("n", ExtractionResult.IsVariantNull)(is(true)).pages === rows(100, 150) ++ rows(600, 650)
    )
    assert(kept("n", ExtractionResult.IsVariantNull)(is(false)).pages === all)
    assert(kept("n", cast("variant"))(Test(_, ValueTest.IsNull)).statistics === rows(0, 750))
    assert(kept("s", cast("variant"))(Test(_, ValueTest.IsNotNull)).pages === all)
    // Objects and arrays may be there without anything in them.
    assert(kept("l", ExtractionResult.IsPresent)(is(false)).pages === all)
    assert(keptAt(Nil, ExtractionResult.IsPresent)(is(false)).pages === all)
    assert(keptAt(Nil, cast("bigint"))(Test(_, ValueTest.IsNotNull)).pages === Set.empty)
    assert(keptAt(Nil, cast("bigint", strict = true))(Test(_, ValueTest.IsNotNull)).pages === all)
    assert(keptAt(Nil, cast("string"))(Test(_, ValueTest.IsNotNull)).pages === all)
  }

  test("columns that the file lacks") {
    write((0 until 1000).map(row))
    val open = new SkippedFile(path)
    try {
      val withDefault = new MetadataBuilder().putString("EXISTS_DEFAULT", "7").build()
      val columns = StructType.fromDDL("none int").add("seven", IntegerType, true, withDefault)
      val extraction = ScanExtraction(Seq("w"), Seq(PathStep.Field("a")), cast("bigint"))
      val present = extraction.copy(what = ExtractionResult.IsPresent)
      def rows(predicate: SkippingPredicate) = open
        .kept(
          open.filter(predicate, columns, StructType.fromDDL("w variant"), Seq(extraction, present))
        )
        .all
      def column(name: String, test: ValueTest) =
        rows(Test(Operand.Column(Seq(name), IntegerType), test))
      assert(
        column("none", ValueTest.IsNull) === all && column("none", ValueTest.IsNotNull).isEmpty
      )
      assert(column("seven", OneOf(Vector(7))) === all && column("seven", OneOf(Vector(8))).isEmpty)
      assert(rows(Test(Operand.OfVariant(0, LongType), ValueTest.IsNull)) === all)
      assert(rows(Test(Operand.OfVariant(0, LongType), ValueTest.IsNotNull)).isEmpty)
      assert(rows(Test(Operand.OfVariant(1, BooleanType), OneOf(Vector(false)))) === all)
      assert(rows(Test(Operand.OfVariant(1, BooleanType), OneOf(Vector(true)))).isEmpty)
    } finally open.close()
  }

  test("a column of Variants that the file lacks may have a default") {
    write((0 until 1000).map(row))
    val open = new SkippedFile(path)
    try {
      val withDefault = new MetadataBuilder().putString("EXISTS_DEFAULT", "parse_json('7')").build()
      val variants = new StructType().add("w", VariantType, true, withDefault)
      val what = cast("bigint")
      val extraction = ScanExtraction(Seq("w"), Nil, what)
      val filter =
        open.filter(
          is(7L)(Operand.OfVariant(0, LongType)),
          new StructType,
          variants,
          Seq(extraction)
        )
      assert(open.kept(filter).all === all)
    } finally open.close()
  }

  test("a row without value and typed_value counts as a Variant null") {
    Files.deleteIfExists(path)
    val schema =
      """message m { optional group v {
        |  required binary metadata; optional binary value; optional int64 typed_value; } }""".stripMargin
    val variants: Seq[Map[String, Any]] =
      Seq(Map("typed_value" -> 5L), Map("value" -> variantNull), Map(), Map("value" -> residual))
    val rows =
      variants.map(v => Map("v" -> (v + ("metadata" -> metadata)))) :+ Map.empty[String, Any]
    ParquetFixture.write(
      path,
      schema,
      rows,
      _.withPageRowCountLimit(1).withMinRowCountForPageSizeCheck(1)
    )
    def root(what: ExtractionResult)(predicate: Operand => SkippingPredicate) =
      keptAt(Nil, what)(predicate).pages
    val every = Set(0L, 1L, 2L, 3L, 4L)
    assert(root(ExtractionResult.IsPresent)(is(true)) === every)
    assert(root(ExtractionResult.IsPresent)(is(false)) === every)
    assert(root(ExtractionResult.IsVariantNull)(is(true)) === every)
    assert(root(cast("variant"))(Test(_, ValueTest.IsNotNull)) === every)
    assert(root(cast("bigint"))(Test(_, ValueTest.IsNull)) === every - 0L)
    assert(root(cast("bigint"))(Test(_, ValueTest.IsNotNull)) === Set(0L, 3L))
    assert(root(cast("bigint"))(is(5L)) === Set(0L, 3L))
    assert(root(cast("bigint"))(is(6L)) === Set(3L))
  }
}
