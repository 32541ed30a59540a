package io.github.variantshredded.read.extract

import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}
import org.apache.spark.sql.DataFrame

/**
 * Extractions that share leaves in one query, in files that Spark shredded as `int` and `float`,
 * which a decoder can widen for one of them: the answers are those of push-down off.
 */
class SharedLeavesSuite extends SparkSuite with TemporaryFolder {

  private val forced = "spark.sql.variant.forceShreddingSchemaForTest"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.sql.variant.pushVariantIntoScan", "false")
    spark.conf.set(ReadOptions.LateMaterializationMinBytes.name, "0")
  }

  private def shred(table: String, schema: String, json: String): Unit = {
    val path = folder.resolve(table).toString
    spark.conf.set(forced, schema)
    try spark.sql(s"SELECT id, $json AS v FROM range(0, 30, 1, 1)").write.parquet(path)
    finally spark.conf.unset(forced)
    spark.read.format("variant-shredded").load(path).createOrReplaceTempView(table)
  }

  private lazy val tables: Unit = {
    def json(x: String): String =
      s"""parse_json(CASE id % 5
         |  WHEN 0 THEN concat('{"a":', $x, ',"o":{"x":', $x, ',"y":', id, '}}')
         |  WHEN 1 THEN concat('{"a":', $x, ',"o":{"x":', $x, ',"y":', id, ',"z":', id, '},"b":1}')
         |  WHEN 2 THEN concat('{"a":"s","o":{"x":"s","y":', id, '},"b":2}')
         |  WHEN 3 THEN '{"a":null,"o":7}'
         |  ELSE concat('{"a":', $x, ',"o":{"x":', $x, '}}') END)""".stripMargin
    shred("ints", "a int, o struct<x int, y int>", json("id"))
    val floats = "a float, o struct<x float, y int>"
    val tree = s"to_variant_object(named_struct('a', cast(id / 4 AS float), 'b', id, 'o', " +
      "named_struct('x', cast(id / 8 AS float), 'y', cast(id AS int), 'z', id)))"
    shred("floats", floats, tree)
  }

  private def rows(query: DataFrame): Seq[String] = query.collect().map(_.toString).toSeq

  private def same(table: String, select: String, where: String = "true"): Unit = {
    tables
    val sql = s"SELECT id, $select FROM $table WHERE $where ORDER BY id"
    def answer(pushed: Boolean) = {
      spark.conf.set(ReadOptions.PushDownExtractions.name, pushed.toString)
      rows(spark.sql(sql))
    }
    val wanted = answer(pushed = false)
    assert(wanted.nonEmpty)
    assert(answer(pushed = true) === wanted, sql)
  }

  private def get(path: String, target: String): String =
    s"try_variant_get(v, '$path', '$target')"

  for {
    (table, wide) <- Seq("ints" -> "bigint", "ints" -> "double", "floats" -> "double")
    around <- Seq(
      get("$.o", "struct<y:int>"),
      get("$.o", "struct<z:int>"),
      get("$.o", "map<string,string>"),
      get("$", "struct<b:int>"),
      get("$", "struct<o:struct<y:int,z:int>>"),
      "v:o",
      "to_json(v:o)",
      "to_json(v)",
      "schema_of_variant(v)"
    )
  } test(s"$around beside fields as $wide, of $table") {
    same(table, s"${get("$.o.x", wide)}, ${get("$.a", wide)}, $around")
  }

  test("a field and a struct around it, strict") {
    same("floats", "v:o.x::double, v:o::struct<y:int>")
    same("ints", "v:o.x::bigint, v:o::struct<y:int>", "id % 5 < 2")
  }

  test("a Variant in a struct, and beside it a field that is read without its metadata") {
    val path = folder.resolve("nested").toString
    spark
      .sql("""SELECT id, named_struct('v', parse_json(concat(
             |  '{"k":[{"o":', id, '},{"o":', id + 1, '}],"a', id % 3, '":', id, '}'))) AS s
             |FROM range(0, 60, 1, 1)""".stripMargin)
      .write
      .format("variant-shredded")
      .option("parquet.page.row.count.limit", "7")
      .save(path)
    spark.read.format("variant-shredded").load(path).createOrReplaceTempView("nested")
    same("nested", "s, s.v:k[1].o::int")
    same("nested", "s.v", "s.v:k[1].o::int % 4 = 0")
  }

  test("one condition on a field and on a struct around it") {
    same(
      "ints",
      "v:a::int",
      s"${get("$.o.x", "bigint")} > ${get("$.o", "struct<y:int>")}.y - 1 AND id % 5 < 2"
    )
  }

  test("a field in a condition, a struct around it in the result") {
    same("ints", get("$.o", "struct<y:int>"), s"${get("$.o.x", "bigint")} > 5")
  }

  /**
   * `o.x` is shredded as int8 and holds 300, and is the cheapest leaf to see by that `o` is there;
   * some row has a residual in `o`.
   */
  private lazy val broken: Unit = {
    val path = folder.resolve("broken")
    path.toFile.mkdirs()
    val metadata = ParquetFixture.bytes("01 03 00 01 02 03 78 79 7A")
    val residual = ParquetFixture.bytes("02 01 02 00 02 0C 05")
    ParquetFixture.write(
      path.resolve("part-0.parquet"),
      """message m {
        |  optional group v (VARIANT(1)) {
        |    required binary metadata; optional binary value;
        |    optional group typed_value { required group o {
        |      optional binary value;
        |      optional group typed_value {
        |        required group x { optional int32 typed_value (INTEGER(8,true)); }
        |        required group y { optional int64 typed_value; }
        |      }
        |    } }
        |  }
        |}""".stripMargin,
      Seq(Map("value" -> residual), Map.empty[String, Any]).map { more =>
        val fields = Map("x" -> Map("typed_value" -> 300), "y" -> Map("typed_value" -> 1L))
        val o = Map[String, Any]("typed_value" -> fields) ++ more
        Map("v" -> Map[String, Any]("metadata" -> metadata, "typed_value" -> Map("o" -> o)))
      }
    )
    spark.read
      .format("variant-shredded")
      .load(path.toString)
      .createOrReplaceTempView("broken")
  }

  Seq(
    "v:o::struct<y:int>.y" -> Seq("[1]", "[1]"),
    "v:o::struct<z:int>.z" -> Seq("[5]", "[null]"),
    "v:o::struct<y:int,z:int>.z" -> Seq("[5]", "[null]"),
    "v::struct<o:struct<z:int>>.o.z" -> Seq("[5]", "[null]"),
    "v:o.z::int" -> Seq("[5]", "[null]"),
    "v:o.x IS NOT NULL, v:o::struct<y:int,z:int>.z" -> Seq("[true,5]", "[true,null]")
  ).foreach { case (select, wanted) =>
    test(s"a wrong value of a field that is not asked for is not raised by $select") {
      broken
      spark.conf.set(ReadOptions.PushDownExtractions.name, "true")
      assert(rows(spark.sql(s"SELECT $select FROM broken")).sorted === wanted.sorted)
    }
  }
}
