package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.read.file.{OverviewFiles, ParquetFixture}
import io.github.variantshredded.read.file.OverviewFiles.untyped
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.{LocalParquet, PathSuite, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.{DataFrame, Row}

/** Tables in the earlier layout ("Shredding Overview"), by themselves and beside the other one. */
class OverviewTableSuite extends PathSuite {

  private def fixture(directory: String, columns: String, rows: ParquetFixture.Row*): Unit = {
    Files.createDirectories(Path.of(directory))
    val number = Files.list(Path.of(directory)).count()
    OverviewFiles.write(
      Path.of(directory, s"part-$number.parquet"),
      columns,
      rows.map(Option(_)): _*
    )
  }

  private def fileSchemas(path: String): Seq[String] = dataFiles(path).map { file =>
    val opened = LocalParquet.open(Path.of(path).resolve(file.toString))
    try opened.getFileMetaData.getSchema.getType(Array("v"): _*).toString
    finally opened.close()
  }

  private def json(df: DataFrame): Seq[String] =
    df.selectExpr("to_json(v)").collect().map(_.getString(0)).toSeq.sorted

  /** The answers with everything pushed down, and with nothing. */
  private def answers(path: String, query: String, validation: String = "strict"): Seq[Row] = {
    def run(pushed: Boolean): Seq[Row] = {
      val settings =
        Seq(ReadOptions.PushDownExtractions, ReadOptions.PushDownPredicates)
      settings.foreach(entry => spark.conf.set(entry.name, pushed.toString))
      try {
        reader.option("validation", validation).load(path).createOrReplaceTempView("t")
        spark.sql(query).collect().toSeq.sortBy(_.toString)
      } finally settings.foreach(entry => spark.conf.unset(entry.name))
    }
    val pushed = run(pushed = true)
    assert(pushed === run(pushed = false), query)
    pushed
  }

  test("the schema of files of other writers") {
    val path = newPath()
    fixture(path, OverviewFiles.example, OverviewFiles.exampleRows.map(_._2): _*)
    assert(reader.load(path).schema.toDDL === "id BIGINT,v VARIANT")
    assert(
      json(reader.load(path)) === Seq(
        """[{"a":1,"b":{"c":2}},{"a":3,"b":{"c":4}}]""",
        """{"a":1.23,"b":{"c":"123"}}""",
        """{"a":123,"b":{"c":"hello","d":456}}""",
        """{"a":123,"b":{"c":"hello"}}""",
        """{"a":123,"c":456}""",
        """{"a":[1,2,3],"b":{"c":null}}"""
      )
    )
  }

  test("an object in untyped_value whose object is null is cast to a struct") {
    val path = newPath()
    val columns = """optional binary untyped_value; optional group object {
      | optional group a { optional binary untyped_value; optional int64 typed_value; }
      | optional group o { optional binary untyped_value;
      |   optional group object { optional group a { optional int64 typed_value; } } } }""".stripMargin
    fixture(
      path,
      columns,
      Map("untyped_value" -> untyped(obj("c" -> Int8(1)))),
      Map("untyped_value" -> untyped(Str("x"))),
      Map("object" -> Map("a" -> Map("typed_value" -> 5L)))
    )
    val row = answers(path, "SELECT id, try_cast(v AS struct<a: bigint>) IS NULL FROM t")
    assert(row === Seq(Row(0L, false), Row(1L, true), Row(2L, false)))
    answers(path, "SELECT try_cast(v AS struct<a: bigint>), v:o IS NULL FROM t")
  }

  test("permissive: fields of untyped_value beside an array are not found") {
    val path = newPath()
    val columns = """optional binary untyped_value;
      |optional group array (LIST) { repeated group list { optional group element {
      |  optional int64 typed_value; } } }
      |optional group object { optional group b { optional int64 typed_value; } }""".stripMargin
    fixture(
      path,
      columns,
      Map[String, Any](
        "array" -> OverviewFiles.list(Some(Map("typed_value" -> 1L))),
        "untyped_value" -> untyped(obj("x" -> Int8(1)))
      ),
      Map[String, Any](
        "object" -> Map("b" -> Map("typed_value" -> 2L)),
        "untyped_value" -> untyped(obj("x" -> Int8(3)))
      )
    )
    val found = answers(path, "SELECT id, v:x::int, v:x IS NOT NULL FROM t", "permissive")
    assert(found === Seq(Row(0L, null, false), Row(1L, 3, true)))
  }

  test("groups that are no Variants by themselves, and what the schema says of them") {
    def inferred(columns: String): String = {
      val path = newPath()
      fixture(path, columns)
      reader.load(path).schema("v").dataType.sql
    }
    assert(inferred("optional binary untyped_value;") === "VARIANT")
    assert(
      inferred("optional binary untyped_value; optional int64 typed_value; optional int32 _x;") ===
        "VARIANT"
    )
    assert(
      inferred("optional group object { optional group a { optional int64 typed_value; } }") ===
        "VARIANT"
    )
    assert(
      inferred(
        "optional group array (LIST) { repeated group list { optional group element { " +
          "optional binary untyped_value; } } }"
      ) === "VARIANT"
    )
    Seq(
      "optional int64 typed_value;",
      "optional binary untyped_value (STRING);",
      "optional binary untyped_value; optional int32 x;",
      "optional group object { optional int64 a; }",
      "optional group object { optional group a { optional int64 b; } }",
      "optional group array (LIST) { repeated group list { optional int64 element; } }",
      "optional int64 object; optional int64 array;"
    ).foreach(columns => assert(inferred(columns).startsWith("STRUCT<"), columns))
    val path = newPath()
    fixture(path, "optional int64 typed_value;", Map("typed_value" -> 7L))
    assert(json(reader.schema("v variant").load(path)) === Seq("7"))
  }

  test("one path with both layouts, unshredded Variants and columns of conflicting types") {
    val path = newPath()
    fixture(path, OverviewFiles.example, OverviewFiles.exampleRows.map(_._2): _*)
    // The same fields with other types.
    fixture(
      path,
      "optional binary untyped_value; optional group object { " +
        "optional group a { optional binary typed_value (STRING); } " +
        "optional group b { optional int64 typed_value; optional binary untyped_value; } }",
      Map("object" -> Map("a" -> Map("typed_value" -> "7"), "b" -> Map("typed_value" -> 8L))),
      Map("object" -> Map("b" -> Map("untyped_value" -> untyped(obj("c" -> Str("far")))))),
      Map("untyped_value" -> untyped(Null))
    )
    fixture(path, "optional double typed_value;", Map("typed_value" -> 1.5))
    val (metadata, value) = VariantTree.encode(obj("a" -> Int8(9), "b" -> obj("c" -> Str("plain"))))
    fixture(
      path,
      "required binary metadata; required binary value;",
      Map("metadata" -> metadata, "value" -> value)
    )
    writer(spark.sql("""SELECT 100L + id AS id, parse_json(concat('{"a":', id,
      ',"b":{"c":"s', id, '"}}')) AS v FROM range(0, 5, 1, 1)""")).mode("append").save(path)
    writer(spark.sql("""SELECT 200L + id AS id, parse_json(concat('{"a":"', id,
      '","b":{"c":', id, '}}')) AS v FROM range(0, 5, 1, 1)"""))
      .mode("append")
      .option("layout", "overview")
      .option("reuseShredding", "false")
      .save(path)
    assert(dataFiles(path).size === 6)
    assert(json(reader.load(path)).size === 6 + 3 + 1 + 1 + 5 + 5)
    Seq(
      "SELECT id, try_variant_get(v, '$.a', 'bigint'), v:b.c::string FROM t",
      "SELECT id, to_json(v:a), to_json(v:b), to_json(v:c), is_variant_null(v:b.c) FROM t",
      "SELECT id, try_variant_get(v, '$', 'struct<a string, b struct<c string, d int>>') FROM t",
      "SELECT sum(try_variant_get(v, '$.a', 'int')), count(v:b.c), count(*) FROM t",
      "SELECT id FROM t WHERE try_variant_get(v, '$.a', 'int') = 123",
      "SELECT id FROM t WHERE try_variant_get(v, '$.a', 'int') IN (7, 9, 3)",
      "SELECT id FROM t WHERE v:b.c::string LIKE 's%' OR v:b.c::string = 'far'",
      "SELECT id FROM t WHERE v:a IS NULL",
      "SELECT id FROM t WHERE v:b.c IS NOT NULL AND try_variant_get(v, '$.a', 'int') < 50",
      "SELECT id, to_json(v) FROM t WHERE try_variant_get(v, '$', 'double') > 1",
      "SELECT id, try_variant_get(v, '$[1].b.c', 'int'), v:a[1]::int FROM t"
    ).foreach(query => assert(answers(path, query).nonEmpty, query))
  }

  private val events = """SELECT id, parse_json(concat(
    '{"k":', id % 5, ',"ts":', id, ',"name":"n', id % 9, '","price":', id % 7, '.', id % 4, '0',
    ',"x":', IF(id % 30 = 3, concat('"', id, '"'), string(id)),
    ',"l":[', id, ',', IF(id % 11 = 2, '"odd"', string(id + 1)), ']',
    ',"items":[{"p":', id % 13, '},{"p":', id % 3, ',"q":"more"}]',
    ',"o":{"p":', id / 2, IF(id % 2 = 0, ',"q":null', ''), '}',
    IF(id % 6 = 0, '', concat(',"rare', id % 50, '":{"deep":[{"a":', id, '}]}')), '}')) AS v
    FROM range(0, 3000, 1, 2)"""

  private val queries = Seq(
    "SELECT count(*), sum(v:ts::bigint), max(v:name::string) FROM t",
    "SELECT v:k::int k, count(*), sum(v:price::decimal(9,2)) FROM t GROUP BY 1",
    "SELECT id, v:name::string FROM t WHERE v:ts::bigint BETWEEN 1000 AND 1010",
    "SELECT id FROM t WHERE v:price::decimal(9,2) = 3.0",
    "SELECT id, to_json(v) FROM t WHERE v:ts::int = 77",
    "SELECT id FROM t WHERE try_variant_get(v, '$.x', 'int') = 33",
    "SELECT id FROM t WHERE v:name::string = 'n3' AND v:o.q IS NOT NULL",
    "SELECT id FROM t WHERE exists(try_variant_get(v, '$.l', 'array<int>'), x -> x = 500)",
    "SELECT id, try_variant_get(v, '$.l', 'array<string>') FROM t WHERE v:l[0]::int < 20",
    "SELECT id, v:items[1].q::string, v:items[0].p::int FROM t WHERE v:items[1].p::int = 2",
    "SELECT id, try_variant_get(v, '$.items', 'array<struct<p int, q string>>') FROM t " +
      "WHERE v:ts::int > 2990",
    "SELECT id, to_json(v:o), to_json(v:items), to_json(v:rare1) FROM t WHERE v:k::int = 1",
    "SELECT id, v:rare7.deep[0].a::int FROM t WHERE v:rare7 IS NOT NULL",
    "SELECT sum(length(to_json(v))) FROM t"
  )

  test("written by inference: the same answers as in the other layout") {
    val (overview, spec) = (newPath(), newPath())
    writer(spark.sql(events)).option("layout", "overview").save(overview)
    writer(spark.sql(events)).save(spec)
    fileSchemas(overview).foreach { schema =>
      assert(schema.contains("group object") && schema.contains("group array (LIST)"), schema)
      assert(!schema.contains("metadata") && !schema.contains("binary value"), schema)
    }
    queries.foreach { query =>
      assert(answers(overview, query) === answers(spec, query), query)
    }
    val whole = (path: String) => reader.load(path).selectExpr("id", "to_json(v)").collect().toSet
    assert(whole(overview) === whole(spec))
  }

  test("from one layout to the other and back") {
    val (first, second, third) = (newPath(), newPath(), newPath())
    writer(spark.sql(events)).save(first)
    writer(reader.load(first)).option("layout", "overview").save(second)
    writer(reader.load(second)).option("layout", "spec").save(third)
    def rows(path: String) = reader.load(path).selectExpr("id", "to_json(v)").collect().toSet
    assert(rows(second) === rows(first))
    assert(rows(third) === rows(first))
    assert(fileSchemas(third).forall(_.contains("metadata")))
    // Spark's own reader knows the last one.
    assert(
      spark.read.parquet(third).selectExpr("id", "to_json(v)").collect().toSet === rows(first)
    )
  }

  test("a given schema, bloom filters, and Variants in structs and arrays") {
    val path = newPath()
    val nested = spark.sql("""SELECT id, parse_json(concat('{"id":', id, ',"l":[', id, '],"z":{}}'))
      AS v, named_struct('w', parse_json(concat('{"a":"', id, '"}'))) AS s,
      array(parse_json(concat('{"b":', id, '}')), NULL, parse_json('null')) AS list
      FROM range(0, 20, 1, 1)""")
    writer(nested)
      .option("layout", "OVERVIEW")
      .option(
        "shredding",
        """{"v": "id bigint, l array<int>", "s.w": "a string", "list.element": "b int"}"""
      )
      .option("bloomFilter", """{"v": "$.id"}""")
      .save(path)
    assert(
      fileSchemas(path) === Seq(
        """required group v {
          |  optional binary untyped_value;
          |  optional group object {
          |    optional group id {
          |      optional binary untyped_value;
          |      optional int64 typed_value;
          |    }
          |    optional group l {
          |      optional binary untyped_value;
          |      optional group array (LIST) {
          |        repeated group list {
          |          optional group element {
          |            optional binary untyped_value;
          |            optional int32 typed_value;
          |          }
          |        }
          |      }
          |    }
          |  }
          |}""".stripMargin
      )
    )
    def texts(rows: DataFrame): Set[String] = rows
      .selectExpr(
        "id",
        "to_json(v)",
        "to_json(s.w)",
        "to_json(list[0])",
        "list[1]",
        "to_json(list[2])"
      )
      .collect()
      .map(_.toString)
      .toSet
    val read = reader.load(path)
    assert(texts(read) === texts(nested))
    assert(read.where("v:id::bigint = 7").selectExpr("s.w:a::string").collect() === Array(Row("7")))
  }

  test("Variants that are not shredded are the same in both layouts") {
    val path = newPath()
    writer(spark.sql("SELECT parse_json('{\"a\":1}') AS v"))
      .option("layout", "overview")
      .option("shredding", "none")
      .save(path)
    assert(
      fileSchemas(path) === Seq(
        """required group v (VARIANT(1)) {
          |  required binary metadata;
          |  required binary value;
          |}""".stripMargin
      )
    )
    assert(json(reader.load(path)) === Seq("""{"a":1}"""))
  }

  test("rows that are added keep the schema of the files that are there, in the layout asked for") {
    val path = newPath()
    def add(json: String, layout: String): Unit =
      writer(spark.sql(s"SELECT parse_json('$json') AS v").repartition(1))
        .mode("append")
        .option("layout", layout)
        .save(path)
    add("""{"a": 1, "b": [true]}""", "overview")
    add("""{"a": 2, "b": [false]}""", "overview")
    add("""{"a": 3, "b": []}""", "spec")
    assert(fileSchemas(path).count(_.contains("untyped_value")) === 2)
    assert(fileSchemas(path).distinct.size === 2)
    assert(
      json(reader.load(path)) ===
        Seq("""{"a":1,"b":[true]}""", """{"a":2,"b":[false]}""", """{"a":3,"b":[]}""")
    )
    val like = newPath()
    writer(spark.sql("SELECT parse_json('{\"a\": 9}') AS v"))
      .option("shredding", s"like:$path")
      .option("layout", "overview")
      .save(like)
    assert(fileSchemas(like) === fileSchemas(path).filter(_.contains("untyped_value")).distinct)
  }

  test("Shredding Semantics: integers and decimals are one kind of number to Spark's expressions") {
    val path = newPath()
    fixture(
      path,
      "optional group object { optional group n { optional binary untyped_value; " +
        "optional int32 typed_value (DECIMAL(9,2)); } }",
      Map("object" -> Map("n" -> Map("typed_value" -> 12300))),
      Map("object" -> Map("n" -> Map("typed_value" -> 12345))),
      Map("object" -> Map("n" -> Map("untyped_value" -> untyped(Int8(123)))))
    )
    assert(
      answers(path, "SELECT id, v:n::string, to_json(v:n), to_json(v), v:n::decimal(9,2) FROM t")
        .map(_.toString) === Seq(
        """[0,123,123,{"n":123},123.00]""",
        """[1,123.45,123.45,{"n":123.45},123.45]""",
        """[2,123,123,{"n":123},123.00]"""
      )
    )
    assert(answers(path, "SELECT id FROM t WHERE v:n::string = '123'") === Seq(Row(0L), Row(2L)))
    assert(answers(path, "SELECT id FROM t WHERE v:n::int = 123").size === 3)
    assert(answers(path, "SELECT id FROM t WHERE v:n::decimal(9,2) = 123").size === 2)
    // The physical type.
    assert(
      answers(path, "SELECT id, schema_of_variant(v:n) FROM t").map(_.getString(1)) ===
        Seq("DECIMAL(3,0)", "DECIMAL(5,2)", "BIGINT")
    )
  }

  test("numbers that are written to columns of other types") {
    val path = newPath()
    writer(spark.sql("""SELECT id, parse_json(concat('{"d":', IF(id % 2 = 0, string(id),
      concat(id, '.50')), ',"i":', id, IF(id % 2 = 0, '.00', ''), '}')) AS v
      FROM range(0, 6, 1, 1)"""))
      .option("layout", "overview")
      .option("shredding", "d decimal(9,2), i bigint")
      .save(path)
    assert(
      answers(path, "SELECT id, v:d::string, v:i::string, to_json(v) FROM t")
        .map(_.toString)
        .take(2) ===
        Seq("""[0,0,0,{"d":0,"i":0}]""", """[1,1.5,1,{"d":1.5,"i":1}]""")
    )
    assert(
      answers(path, "SELECT DISTINCT schema_of_variant(v:i) FROM t") === Seq(Row("BIGINT"))
    )
    assert(answers(path, "SELECT id FROM t WHERE v:d::decimal(9,1) = 3.5") === Seq(Row(3L)))
  }

  test("another layout is refused") {
    val error = intercept[VariantShreddedException] {
      writer(spark.sql("SELECT parse_json('1') AS v")).option("layout", "old").save(newPath())
    }
    assert(
      error.getMessage ===
        "[INVALID_VARIANT_SHREDDED_OPTION] Option 'layout' is 'old', expected one of spec, overview."
    )
  }

  test("an unknown column fails the query that reads the Variant") {
    val path = newPath()
    fixture(path, "optional binary untyped_value; optional int32 later;", Map())
    val error = intercept[Exception] {
      reader.schema("id bigint, v variant").load(path).selectExpr("to_json(v)").collect()
    }
    val messages = Causes.of(error).map(_.getMessage)
    assert(messages.exists(_.contains("Unknown column 'later' beside 'untyped_value'")))
    assert(reader.schema("id bigint").load(path).count() === 1)
  }
}
