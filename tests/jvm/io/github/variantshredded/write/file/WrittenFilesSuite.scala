package io.github.variantshredded.write.file

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.{
  ShreddedType,
  ShreddingGenerators,
  ShreddingSchema,
  ShreddingText
}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.{Clue, VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.write.WriteSuite
import io.github.variantshredded.write.shred.{ParquetJavaVariants, Unshredding}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{DataType, StructType}
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class WrittenFilesSuite extends WriteSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 8)

  private def shredding(ddl: String): (String, String) =
    "shredding" -> s"""{"v": ${quoted(ddl)}}"""

  private def quoted(text: String): String =
    new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(text)

  private def assertSame(
      found: Seq[Option[VariantTree]],
      expected: Seq[Option[VariantTree]]
  ): Unit = {
    assert(found.size === expected.size)
    found.zip(expected).foreach {
      case (Some(a), Some(b)) =>
        assert(VariantTree.sameAs(a, b, exact = false), Clue(s"$a, expected $b"))
      case (a, b) => assert(a === b)
    }
  }

  test("a given schema is in the file as the spec draws it, and Spark's schema is Spark's") {
    val path =
      written(json("""{"id": 1, "tags": ["a"]}"""), shredding("id bigint, tags array<string>"))
    assert(
      fileSchema(onlyFile(path)) ===
        """message spark_schema {
          |  required int32 n;
          |  optional group v (VARIANT(1)) {
          |    required binary metadata;
          |    optional binary value;
          |    optional group typed_value {
          |      required group id {
          |        optional binary value;
          |        optional int64 typed_value;
          |      }
          |      required group tags {
          |        optional binary value;
          |        optional group typed_value (LIST) {
          |          repeated group list {
          |            required group element {
          |              optional binary value;
          |              optional binary typed_value (STRING);
          |            }
          |          }
          |        }
          |      }
          |    }
          |  }
          |}
          |""".stripMargin
    )
    val metadata = footer(onlyFile(path)).getFileMetaData.getKeyValueMetaData.asScala
    val schema = StructType.fromDDL("n int not null, v variant")
    assert(DataType.fromJson(metadata("org.apache.spark.sql.parquet.row.metadata")) === schema)
    assert(metadata("org.apache.spark.version") === spark.version)
    assert(spark.read.parquet(path.toString).schema === schema.asNullable_)
  }

  private implicit class NullableSchema(schema: StructType) {
    def asNullable_ : StructType = StructType(schema.map(_.copy(nullable = true)))
  }

  test("not shredded: both columns required") {
    val path = written(json("""{"id": 1}""", "1"), "shredding" -> "none")
    assert(
      fileSchema(onlyFile(path)) ===
        """message spark_schema {
          |  required int32 n;
          |  optional group v (VARIANT(1)) {
          |    required binary metadata;
          |    required binary value;
          |  }
          |}
          |""".stripMargin
    )
    assert(bySpark(path) === Seq(Some(obj("id" -> Int8(1))), Some(Int8(1))))
  }

  test("SQL NULL, Variant null, missing and empty are kept apart") {
    val trees = Seq(
      None,
      Some(Null),
      Some(obj()),
      Some(obj("a" -> Null)),
      Some(obj("a" -> arr())),
      Some(obj("a" -> arr(Null, arr(), obj()))),
      Some(obj("a" -> obj())),
      Some(arr()),
      Some(Str(""))
    )
    Seq("infer", "none")
      .map("shredding" -> _)
      .appended(shredding("a array<int>, b struct<c int>"))
      .foreach { option =>
        val path = written(variants(trees: _*), option)
        assert(bySpark(path) === trees)
        assert(FileRows.variants(onlyFile(path), "v") === trees)
      }
  }

  test("every type in its column, as our reader and parquet-java see it") {
    val types = Seq(
      "boolean" -> Bool(true),
      "tinyint" -> Int8(1),
      "smallint" -> Int16(300),
      "int" -> Int32(70000),
      "bigint" -> Int64(1L << 40),
      "float" -> Flt(1.5f),
      "double" -> Dbl(-0.0),
      "decimal(9,2)" -> Decimal4(125, 2),
      "decimal(18,3)" -> Decimal8(1L << 40, 3),
      "decimal(38,4)" -> Decimal16(java.math.BigInteger.TEN.pow(30), 4),
      "date" -> Date(19000),
      "time" -> Time(86399999999L),
      "timestamp" -> TimestampMicros(-1),
      "timestamp_ntz" -> TimestampNtzMicros(1),
      "timestamp_ns" -> TimestampNanos(-1),
      "timestamp_ntz_ns" -> TimestampNtzNanos(1),
      "binary" -> Binary(Vector(0, -1)),
      "string" -> Str("x"),
      "string" -> Str("y" * 100),
      "uuid" -> Uuid(new java.util.UUID(1, -1))
    )
    def row(types: Seq[(String, VariantTree)]) =
      Obj(types.zipWithIndex.map { case ((_, tree), i) => s"f$i" -> tree }.toVector)
    def ddl(types: Seq[(String, VariantTree)]) =
      shredding(types.zipWithIndex.map { case ((name, _), i) => s"f$i $name" }.mkString(", "))
    def read(types: Seq[(String, VariantTree)]): Path = {
      val path = written(variants(Some(row(types))), ddl(types))
      val group = groups(onlyFile(path)).head.getGroup("v", 0)
      assert(group.getFieldRepetitionCount("value") === 0)
      types.indices.foreach { i =>
        val field = group.getGroup("typed_value", 0).getGroup(s"f$i", 0)
        assert(field.getFieldRepetitionCount("value") === 0, types(i))
      }
      assert(VariantTree.sameAs(Unshredding.variant(group), row(types), exact = false))
      assertSame(FileRows.variants(onlyFile(path), "v"), Seq(Some(row(types))))
      path
    }
    read(types)
    // Parquet-java loses the uuid, see there.
    val known = types.init
    assertSame(ParquetJavaVariants.read(onlyFile(read(known)), "v"), Seq(Some(row(known))))
  }

  test("random Variants in random schemas: our reader gives them back") {
    val cases = for {
      trees <- Gen.listOfN(20, VariantGenerators.genVariantTree(4, 5))
      schema <- ShreddingGenerators.genSchemaLike(trees.head)
    } yield (trees.map(Option(_)) :+ None, ShreddingText.render(schema))
    forAll(cases) { case (trees, ddl) =>
      val path = written(variants(trees: _*), shredding(ddl))
      assertSame(FileRows.variants(onlyFile(path), "v"), trees)
      assertSame(
        groups(onlyFile(path)).map { group =>
          if (group.getFieldRepetitionCount("v") == 0) None
          else Some(Unshredding.variant(group.getGroup("v", 0)))
        },
        trees
      )
    }
  }

  test("random Variants that Spark knows: Spark's Parquet source gives them back") {
    val cases = for {
      trees <- Gen.listOfN(20, VariantGenerators.genSparkTree(4, 5))
      schema <- ShreddingGenerators.genSchemaLike(trees.head)
    } yield (trees.map(Option(_)) :+ None, ShreddingText.render(schema))
    forAll(cases) { case (trees, ddl) =>
      // Spark refuses files with these types in `typed_value`.
      val foreign: Set[ShreddedType] = Set(
        ShreddedType.Time,
        ShreddedType.TimestampNanos,
        ShreddedType.TimestampNtzNanos,
        ShreddedType.Uuid
      )
      whenever(!WrittenFilesSuite.hasType(ShreddingText.parse(ddl), foreign)) {
        val path = written(variants(trees: _*), shredding(ddl))
        assertSame(bySpark(path), trees)
        val inferred = written(variants(trees: _*), "minFrequency" -> "0")
        assertSame(bySpark(inferred), trees)
      }
    }
  }

  test("random Variants: parquet-java gives them back") {
    val cases = for {
      trees <- Gen.listOfN(20, VariantGenerators.genVariantTree(3, 4))
      schema <- ShreddingGenerators.genSchemaLike(trees.head)
    } yield (trees.map(Option(_)) :+ None, ShreddingText.render(schema))
    forAll(cases) { case (trees, ddl) =>
      whenever(!WrittenFilesSuite.hasType(ShreddingText.parse(ddl), Set(ShreddedType.Uuid))) {
        val path = written(variants(trees: _*), shredding(ddl))
        assertSame(ParquetJavaVariants.read(onlyFile(path), "v"), trees)
      }
    }
  }

  test("Variants in structs, arrays and maps, beside all of Spark's types") {
    val schema = StructType.fromDDL(
      """n int, s struct<x int, w variant, deep struct<u variant>>, l array<variant>,
        |ls array<struct<a string, w variant>>, ll array<array<variant>>, m map<string, variant>,
        |ms map<int, struct<w variant, z decimal(20,3)>>, b binary, d date, t timestamp,
        |f float, i tinyint, dec decimal(9,2), p map<string, array<int>>""".stripMargin
    )
    val one = value(obj("id" -> Int8(1), "x" -> Str("y")))
    val two = value(arr(Int8(1), Null))
    val rows = Seq(
      Row(
        0,
        Row(1, one, Row(two)),
        Seq(one, null, two),
        Seq(Row("a", one), null, Row(null, null), Row("b", two)),
        Seq(Seq(one), Seq(), null, Seq(null, two)),
        Map("a" -> one, "b" -> null),
        Map(1 -> Row(one, java.math.BigDecimal.ONE), 2 -> null, 3 -> Row(null, null)),
        Array[Byte](1, 2),
        java.sql.Date.valueOf("2024-01-01"),
        java.sql.Timestamp.valueOf("2024-01-01 00:00:00"),
        1.5f,
        1.toByte,
        new java.math.BigDecimal("1.25"),
        Map("k" -> Seq(1, 2))
      ),
      Row(1, null, null, null, null, null, null, null, null, null, null, null, null, null),
      Row(
        2,
        Row(null, null, Row(null)),
        Seq(),
        Seq(),
        Seq(),
        Map(),
        Map(),
        null,
        null,
        null,
        null,
        null,
        null,
        Map()
      )
    )
    val df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 1), schema)
    def text(path: Path) = {
      val read = spark.read.parquet(path.toString)
      assert(read.schema === schema)
      read.orderBy("n").selectExpr("to_json(struct(*))").collect().map(_.getString(0)).toSeq
    }
    val expected =
      df.orderBy("n").selectExpr("to_json(struct(*))").collect().map(_.getString(0)).toSeq
    val named = """{"s.w": "id int", "s.deep.u": "array<int>", "l.element": "id int",
                  | "ls.element.w": "id int", "ll.element.element": "array<int>",
                  | "m.value": "id int", "ms.value.w": "x string"}""".stripMargin
    val inferAll = """{"l.element": "infer", "ls.element.w": "infer",
                     | "ll.element.element": "infer", "m.value": "infer",
                     | "ms.value.w": "infer"}""".stripMargin
    Seq("none", "infer", named, inferAll).foreach { option =>
      val path = written(df, "shredding" -> option, "minObjectShare" -> "0.5")
      assert(text(path) === expected, option)
      val groups_ = groups(onlyFile(path))
      val list = groups_.head.getGroup("l", 0)
      val element = list.getGroup("list", 0).getGroup("element", 0)
      val shredded = option != "none" && option != "infer"
      assert(element.getType.containsField("typed_value") === shredded, option)
      assert(
        Unshredding.variant(element) === obj(
          "id" -> (if (option == named) Int32(1)
                   else if (option == inferAll) Int64(1)
                   else Int8(1)),
          "x" -> Str("y")
        )
      )
    }
  }

  test("legacy lists and maps keep their form") {
    withConf("spark.sql.parquet.writeLegacyFormat" -> "true") {
      val schema =
        StructType.fromDDL("n int, l array<variant>, m map<string, variant>, d decimal(5,2)")
      val one = value(obj("id" -> Int8(1)))
      val rows = Seq(Row(0, Seq(one, null), Map("a" -> one), java.math.BigDecimal.ONE))
      val df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 1), schema)
      val path = written(df, "shredding" -> """{"l.element": "id int", "m.value": "id int"}""")
      val drawn = fileSchema(onlyFile(path))
      assert(drawn.contains("repeated group bag {"))
      assert(drawn.contains("repeated group key_value (MAP_KEY_VALUE) {"))
      val read =
        spark.read.parquet(path.toString).selectExpr("to_json(struct(*))").head().getString(0)
      assert(read === df.selectExpr("to_json(struct(*))").head().getString(0))
      // Lists of two levels.
      val required = spark.range(1).selectExpr("0 as n", "array(parse_json('{\"id\": 1}')) as l")
      val two = written(required.repartition(1), "shredding" -> """{"l.element": "id int"}""")
      assert(fileSchema(onlyFile(two)).contains("repeated group array (VARIANT(1)) {"))
      assert(
        groups(onlyFile(two)).map(g => Unshredding.variant(g.getGroup("l", 0).getGroup(0, 0))) ===
          Seq(obj("id" -> Int32(1)))
      )
    }
  }

  test("field ids of Variant columns are written") {
    withConf("spark.sql.parquet.fieldId.write.enabled" -> "true") {
      val metadata =
        new org.apache.spark.sql.types.MetadataBuilder().putLong("parquet.field.id", 7).build()
      val df = json("1").select(col("v").as("v", metadata))
      assert(fileSchema(onlyFile(written(df))).contains("optional group v (VARIANT(1)) = 7 {"))
    }
  }

  test("with parquet.validation the consumer finds nothing to refuse") {
    val trees =
      Seq(Some(obj("a" -> Int8(1))), Some(obj()), Some(Null), None, Some(obj("c" -> obj())))
    val path = written(
      variants(trees: _*),
      "parquet.validation" -> "true",
      shredding("a int, b array<struct<x int>>, c struct<d struct<e int>>")
    )
    assert(
      bySpark(path) === Seq(
        Some(obj("a" -> Int8(1))),
        Some(obj()),
        Some(Null),
        None,
        Some(obj("c" -> obj()))
      )
    )
  }

  test("compression and Parquet's own options reach the file") {
    val df = json((0 until 2000).map(i => s"""{"id": $i, "text": "${"x" * (i % 50)}$i"}"""): _*)
    def codec(path: Path) = footer(onlyFile(path)).getBlocks.get(0).getColumns.get(0).getCodec
    assert(codec(written(df)) === CompressionCodecName.SNAPPY)
    assert(files(written(df)).head.toString.endsWith(".snappy.parquet"))
    val zstd = written(df, "compression" -> "zstd")
    assert(codec(zstd) === CompressionCodecName.ZSTD)
    assert(onlyFile(zstd).toString.endsWith(".zstd.parquet"))
    assert(codec(written(df, "parquet.compression" -> "gzip")) === CompressionCodecName.GZIP)
    assert(onlyFile(written(df, "compression" -> "none")).toString.matches(".*-c000\\.parquet"))
    withConf("spark.sql.parquet.compression.codec" -> "lz4_raw") {
      assert(codec(written(df)) === CompressionCodecName.LZ4_RAW)
    }
    val small = footer(
      onlyFile(
        written(
          df,
          "parquet.block.size" -> "20000",
          "parquet.page.size.row.check.min" -> "10",
          "parquet.page.row.count.limit" -> "100",
          "parquet.block.size.row.check.min" -> "10",
          "parquet.bloom.filter.enabled#v.typed_value.id.typed_value" -> "true",
          "compression" -> "none"
        )
      )
    )
    assert(small.getBlocks.size > 1)
    val id = small.getBlocks
      .get(0)
      .getColumns
      .asScala
      .find(_.getPath.toDotString == "v.typed_value.id.typed_value")
      .get
    assert(id.getBloomFilterOffset > 0)
    assert(id.getStatistics.genericGetMin === 0L)
  }

  test("Spark's reader reads lists that begin with pages of nulls") {
    // More elements in each row than rows in the batch before them.
    val df = json((0 until 300).map { i =>
      if (i < 200) s"""{"a": $i}"""
      else s"""{"a": $i, "tags": ["x", "y", "x", "y"], "ns": [1, 2, 1]}"""
    }: _*)
    val path = written(
      df,
      "shredding" -> """{"v": "a int, tags array<string>, ns array<bigint>"}""",
      "parquet.page.row.count.limit" -> "50"
    )
    val expected = df.orderBy("n").selectExpr("to_json(v)").collect().toSeq
    Seq("parquet", "variant-shredded").foreach { format =>
      val found = spark.read.format(format).load(path.toString)
      assert(found.orderBy("n").selectExpr("to_json(v)").collect().toSeq === expected, format)
    }
  }

  test("the first rows decide, and later ones that differ are not lost") {
    val rows =
      (0 until 300).map(i => if (i < 100) s"""{"a": $i}""" else s"""{"a": "t$i", "b": $i}""")
    val path = written(json(rows: _*), "inferRows" -> "100")
    val drawn = fileSchema(onlyFile(path))
    assert(drawn.contains("required group a {") && !drawn.contains("required group b {"))
    val all = bySpark(path)
    assert(all.size === 300)
    assertSame(
      Seq(all(99), all(100), all(299)),
      Seq(
        Some(obj("a" -> Int8(99))),
        Some(obj("a" -> Str("t100"), "b" -> Int8(100))),
        Some(obj("a" -> Str("t299"), "b" -> Int16(299)))
      )
    )
    val byBytes = written(json(rows: _*), "inferBytes" -> "1000")
    assert(!fileSchema(onlyFile(byBytes)).contains("required group b {"))
    assert(fileSchema(onlyFile(written(json(rows: _*)))).contains("required group b {"))
  }

  test("the same rows give the same bytes") {
    val df = json((0 until 500).map(i => s"""{"a$i": $i, "id": $i, "t": "x${i % 7}"}"""): _*)
    def bytes = java.nio.file.Files.readAllBytes(onlyFile(written(df))).toSeq
    assert(bytes === bytes)
  }

  test("rows that are no UnsafeRow are written as well") {
    val schema = StructType.fromDDL("n int, v variant")
    val job = org.apache.hadoop.mapreduce.Job.getInstance(spark.sparkContext.hadoopConfiguration)
    org.apache.spark.sql.execution.datasources.parquet.ParquetUtils.prepareWrite(
      org.apache.spark.sql.internal.SQLConf.get,
      job,
      StructType.fromDDL("n int"),
      new org.apache.spark.sql.execution.datasources.parquet.ParquetOptions(
        Map.empty[String, String],
        org.apache.spark.sql.internal.SQLConf.get
      )
    )
    val path = Files.createTempDirectory("variant-shredded").resolve("rows.parquet")
    val writer = new VariantFileWriter(
      new org.apache.hadoop.fs.Path(path.toUri),
      WrittenColumns(
        schema,
        Seq(ShreddingText.parse("id int")),
        Layout.Spec,
        BloomFilterPaths(Vector(Vector.empty))
      ),
      CompressionCodecName.SNAPPY,
      job.getConfiguration
    )
    val one = value(obj("id" -> Int8(1), "x" -> Null))
    writer.write(org.apache.spark.sql.catalyst.InternalRow(7, one))
    writer.close()
    val row = groups(path).head
    assert(row.getInteger("n", 0) === 7)
    assert(Unshredding.variant(row.getGroup("v", 0)) === obj("id" -> Int32(1), "x" -> Null))
  }
}

private object WrittenFilesSuite {

  def hasType(schema: ShreddingSchema, types: Set[ShreddedType]): Boolean = schema match {
    case ShreddingSchema.Unshredded              => false
    case ShreddingSchema.ArrayOf(element)        => hasType(element, types)
    case ShreddingSchema.ObjectOf(fields)        => fields.exists(field => hasType(field._2, types))
    case ShreddingSchema.Primitive(shreddedType) => types(shreddedType)
  }
}
