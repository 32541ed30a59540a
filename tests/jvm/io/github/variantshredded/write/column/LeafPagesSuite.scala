package io.github.variantshredded.write.column

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.testing.{LocalParquet, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.write.shred.{ShreddedGroups, ShredderSettings, Unshredding}
import org.apache.parquet.column.{Encoding, ParquetProperties}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Column chunks of many values: dictionaries, pages, statistics. */
class LeafPagesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private val types: Seq[(String, Int => VariantTree)] = Seq(
    "string" -> (i => Str(s"value $i")),
    "bigint" -> (i => Int64(i * 1000003L)),
    "int" -> (i => Int32(i)),
    "double" -> (i => Dbl(i / 7.0)),
    "float" -> (i => Flt(i / 7.0f)),
    "boolean" -> (i => Bool(i % 2 == 0)),
    "decimal(20,2)" -> (i => Decimal16(java.math.BigInteger.valueOf(i * 100L - 5000), 2)),
    "binary" -> (i => Binary(Vector.fill(i % 20)(i.toByte)))
  )

  private def props(pageRows: Int, pageSize: Int, dictionary: Int): ParquetProperties =
    ParquetProperties
      .builder()
      .withPageRowCountLimit(pageRows)
      .withPageSize(pageSize)
      .withMinRowCountForPageSizeCheck(3)
      .withDictionaryPageSize(dictionary)
      .build()

  test("values of few and of many kinds, in small pages, with small dictionaries") {
    val cases = for {
      chosen <- Gen.oneOf(types)
      kinds <- Gen.oneOf(1, 2, 30, 5000)
      count <- Gen.choose(1, 2500)
      numbers <- Gen.listOfN(
        count,
        Gen.frequency(9 -> Gen.choose(1, kinds), 1 -> Gen.const(0))
      )
      pageRows <- Gen.oneOf(7, 100, 20000)
      pageSize <- Gen.oneOf(200, 5000, 1 << 20)
      dictionary <- Gen.oneOf(64, 1000, 1 << 20)
    } yield (chosen, numbers, props(pageRows, pageSize, dictionary))
    forAll(cases, minSuccessful(60)) { case ((ddl, tree), numbers, props) =>
      val trees = numbers.map(i => if (i == 0) Null else tree(i))
      val groups = ShreddedGroups.shred(
        ShreddingText.parse(s"a $ddl"),
        ShredderSettings(),
        trees.map(t => VariantTree.encode(obj("a" -> t))),
        props
      )
      groups.zip(trees).foreach { case (group, tree) =>
        val back = Unshredding.variant(group)
        assert(VariantTree.sameAs(back, obj("a" -> tree), exact = false), s"$ddl: $back")
        val typed = group.getGroup("typed_value", 0).getGroup("a", 0)
        assert(typed.getFieldRepetitionCount("typed_value") === (if (tree == Null) 0 else 1))
      }
    }
  }

  private def chunk(
      rows: Seq[VariantTree],
      ddl: String,
      path: String,
      props: ParquetProperties = ParquetProperties.builder().build()
  ): ColumnChunkMetaData = {
    val file = ShreddedGroups.write(
      ShreddingText.parse(ddl),
      ShredderSettings(),
      rows.map(VariantTree.encode),
      props
    )
    val reader = LocalParquet.open(file)
    try
      reader.getFooter.getBlocks
        .get(0)
        .getColumns
        .asScala
        .find(_.getPath.toDotString == path)
        .get
    finally reader.close()
  }

  private def usesDictionary(strings: Seq[String]): Boolean =
    chunk(strings.map(Str(_)), "string", "v.typed_value").getEncodings.asScala
      .exists(encoding => encoding != Encoding.PLAIN && encoding.usesDictionary)

  test("a dictionary is kept where values repeat, and given up where they do not") {
    val filler = "x" * 200
    assert(usesDictionary((0 until 3000).map(i => s"$filler${i % 100}")))
    assert(usesDictionary((0 until 3000).map(i => s"$filler${i * 7919 % 600}")))
    assert(!usesDictionary((0 until 1500).map(i => s"$filler$i")))
    assert(!usesDictionary((0 until 9000).map(i => s"$filler$i")))
  }

  test("nulls before the first value do not decide about the dictionary") {
    val nulls = Seq.fill(25000)(obj())
    val values = (0 until 3000).map(i => obj("a" -> Str(s"a value that is long ${i % 10}")))
    val found = chunk(nulls ++ values, "a string", "v.typed_value.a.typed_value")
    assert(found.hasDictionaryPage)
    // A plain page, if only of nulls, would keep readers from skipping by the dictionary.
    assert(found.getEncodingStats.hasDictionaryEncodedPages)
    assert(!found.getEncodingStats.hasNonDictionaryEncodedPages)
    assert(found.getStatistics.getNumNulls === 25000)
    assert(found.getStatistics.minAsString === "a value that is long 0")
    assert(found.getStatistics.maxAsString === "a value that is long 9")
  }

  test("nor do they in lists, where all pages have one encoding") {
    val nulls = Seq.fill(25000)(obj())
    def values(distinct: Int) =
      (0 until 3000).map(i => obj("a" -> arr(Null, Str(s"a value that is long ${i % distinct}"))))
    def encodings(rows: Seq[VariantTree]) = {
      val found =
        chunk(rows, "a array<string>", "v.typed_value.a.typed_value.list.element.typed_value")
      assert(found.hasDictionaryPage === found.getEncodingStats.hasDictionaryPages)
      found.getEncodingStats
    }
    val repeated = encodings(nulls ++ values(10))
    assert(repeated.hasDictionaryEncodedPages && !repeated.hasNonDictionaryEncodedPages)
    assert(!encodings(nulls ++ values(3000)).hasDictionaryEncodedPages)
    assert(!encodings(nulls).hasDictionaryEncodedPages)
  }

  private val secondVersion = ParquetProperties
    .builder()
    .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_2_0)
    .withPageRowCountLimit(5000)
    .build()
  private val firstVersion = props(5000, 1 << 20, 1 << 20)

  // In the first version, bytes of a fixed length have no dictionary.
  for {
    (ddl, value, settings) <- Seq[(String, Int => VariantTree, Seq[ParquetProperties])](
      ("float", i => Flt(i / 7.0f), Seq(firstVersion, secondVersion)),
      (
        "decimal(38,2)",
        i => Decimal16(java.math.BigInteger.valueOf(i * 100L), 2),
        Seq(secondVersion)
      ),
      ("uuid", i => VariantTree.Uuid(new java.util.UUID(i.toLong, 7L)), Seq(secondVersion)),
      ("string", i => Str(s"a value that is long $i"), Seq(firstVersion, secondVersion)),
      ("bigint", i => Int64(i * 1000003L), Seq(secondVersion))
    )
    props <- settings
  } test(s"pages of nulls do not cost the dictionary of $ddl in ${props.getWriterVersion}") {
    def rows(field: VariantTree => VariantTree) =
      Seq.fill(12000)(obj()) ++ (0 until 10000).map(i => obj("a" -> field(value(i % 5))))
    Seq(
      (s"a $ddl", "v.typed_value.a.typed_value", rows(identity)),
      (
        s"a array<$ddl>",
        "v.typed_value.a.typed_value.list.element.typed_value",
        rows(arr(Null, _))
      )
    ).foreach { case (schema, path, trees) =>
      val found = chunk(trees, schema, path, props)
      assert(found.hasDictionaryPage, schema)
      assert(found.getEncodingStats.hasDictionaryEncodedPages)
      assert(!found.getEncodingStats.hasNonDictionaryEncodedPages)
      assert(!chunk(trees.take(12000), schema, path, props).hasDictionaryPage)
      // The first rows after the nulls, and a column that has no dictionary after all.
      val some = trees.slice(5000, 12010)
      val other = Seq.fill(6000)(obj()) ++ (0 until 50).map(i => obj("a" -> value(i)))
      Seq(some, other).foreach { trees =>
        val groups = ShreddedGroups.shred(
          ShreddingText.parse(schema),
          ShredderSettings(),
          trees.map(VariantTree.encode),
          props
        )
        groups.zip(trees).foreach { case (group, tree) =>
          assert(VariantTree.sameAs(Unshredding.variant(group), tree, exact = false))
        }
      }
    }
  }

  test("the bounds of untyped values are short, and bounds") {
    val values = (0 until 300).map(i => Str(s"${i % 7} that is long")) :+ Int8(1)
    val bytes = values.map(VariantTree.encode(_)._2)
    def compare(one: Array[Byte], other: Array[Byte]) =
      java.util.Arrays.compareUnsigned(one, other)
    val column = chunk(values.map(value => obj("a" -> value)), "a date", "v.typed_value.a.value")
    val (least, greatest) = (column.getStatistics.getMinBytes, column.getStatistics.getMaxBytes)
    assert(least.length <= 8 && greatest.length <= 8)
    assert(bytes.forall(compare(least, _) <= 0))
    assert(bytes.forall(compare(greatest, _) >= 0))
    assert(column.getStatistics.getNumNulls === 0)
  }

  test("every typed leaf has a column index and an offset index that agree on the rows") {
    val rows = (0 until 1000).map { i =>
      val tags = (0 until i % 4).map(j => Str(s"t$j"))
      val fields = Seq("id" -> Int32(i), "tags" -> arr(tags: _*)) ++
        Option.when(i % 3 == 0)(
          "user" -> obj("name" -> Str(s"n$i"), "age" -> Int8((i % 90).toByte))
        )
      if (i % 100 == 7) Null else obj(fields: _*)
    }
    val schema =
      ShreddingText.parse(
        "id int, tags array<string>, user struct<name string, age tinyint>, no date"
      )
    val file =
      ShreddedGroups.write(
        schema,
        ShredderSettings(),
        rows.map(VariantTree.encode),
        props(64, 1 << 20, 1 << 20)
      )
    val reader = LocalParquet.open(file)
    try {
      val columns = reader.getFooter.getBlocks.get(0).getColumns.asScala
      assert(columns.size === 14)
      columns.foreach { column =>
        val offsets = reader.readOffsetIndex(column)
        assert(
          (0 until offsets.getPageCount).map(offsets.getFirstRowIndex(_)) === (0 until 1000 by 64)
        )
        val index = reader.readColumnIndex(column)
        assert(
          index.getNullCounts.asScala.map(_.longValue).sum === column.getStatistics.getNumNulls
        )
        assert(index.getNullPages.size === offsets.getPageCount)
      }
      def at(path: String) = columns.find(_.getPath.toDotString == s"v.$path").get
      val ids = at("typed_value.id.typed_value")
      assert(ids.getValueCount === 1000 && ids.getStatistics.getNumNulls === 10)
      assert(ids.getStatistics.genericGetMin === 0 && ids.getStatistics.genericGetMax === 999)
      assert(at("value").getStatistics.getNumNulls === 990)
      val none = at("typed_value.no.typed_value")
      assert(none.getStatistics.getNumNulls === 1000)
      assert(reader.readColumnIndex(none).getNullPages.asScala.forall(_.booleanValue))
      val tags = at("typed_value.tags.typed_value.list.element.typed_value")
      val elements = rows.map {
        case Obj(fields) => fields.toMap.apply("tags"); case other => other
      }
      val count = elements.map { case Arr(e) if e.nonEmpty => e.size; case _ => 1 }.sum
      assert(tags.getValueCount === count)
      val sizes = tags.getSizeStatistics
      assert(sizes.getRepetitionLevelHistogram.asScala.map(_.longValue).sum === count)
      assert(sizes.getDefinitionLevelHistogram.asScala.map(_.longValue).sum === count)
    } finally reader.close()
  }
}
