package io.github.variantshredded

import io.github.variantshredded.testing.PathSuite
import io.github.variantshredded.variant.VariantMeaning
import io.github.variantshredded.variant.encode.{MetadataBuilder, VariantEncoder}
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** The SQL function `variant_shredded.checksum`. */
class ChecksumSuite extends PathSuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val path = written(rows(0, 1))
    // Makes the catalog known.
    assert(reader.load(path).count() === 1)
  }

  private def of(expression: String): Long =
    spark.sql(s"SELECT variant_shredded.checksum($expression)").head().getLong(0)

  private def same(expressions: String*): Unit =
    assert(expressions.map(of).distinct.size === 1, expressions.mkString(" | "))

  private def different(expressions: String*): Unit =
    assert(expressions.map(of).distinct.size === expressions.size, expressions.mkString(" | "))

  private def json(text: String): String = s"parse_json('$text')"

  test("what means the same is the same") {
    same(
      json("""{"a": 1, "b": [1, {"c": "x", "d": null}]}"""),
      json("""{"b":[1.0,{"d":null,"c":"x"}],"a":1.00}""")
    )
    same(
      json("100"),
      json("100.0"),
      "to_variant_object(named_struct('x', 100L)):x",
      "to_variant_object(named_struct('x', cast(100 AS decimal(38, 7)))):x",
      "to_variant_object(named_struct('x', cast(100 AS tinyint))):x"
    )
    same(
      json("0"),
      json("0.00"),
      "to_variant_object(named_struct('x', cast(0 AS decimal(38,20)))):x"
    )
    same(
      json("99999999999999999999999999999999999990"),
      json("99999999999999999999999999999999999990")
    )
    same("map('a', 1, 'b', 2)", "map('b', 2, 'a', 1)")
    same("cast(NULL AS variant)", "cast(NULL AS variant)")
  }

  test("what means something else is not") {
    different(
      json("1"),
      json("-1"),
      json("10"),
      json("0.1"),
      json("1e0"),
      json("true"),
      json("false"),
      json("null"),
      json("\"1\""),
      json("\"\""),
      json("[]"),
      json("{}"),
      json("[1]"),
      json("[1, 2]"),
      json("[2, 1]"),
      json("[[1], 2]"),
      json("[[1, 2]]"),
      json("""{"a": 1}"""),
      json("""{"b": 1}"""),
      json("""{"a": 2}"""),
      json("""{"a": 1, "b": 2}"""),
      json("""{"a": 2, "b": 1}"""),
      json("""{"a": {"b": 1}}"""),
      json("""{"a": null}"""),
      "cast(NULL AS variant)",
      "to_variant_object(named_struct('x', DATE '1970-01-02')):x",
      "to_variant_object(named_struct('x', TIMESTAMP '1970-01-01 00:00:00.000001 UTC')):x",
      "to_variant_object(named_struct('x', TIMESTAMP_NTZ '1970-01-01 00:00:00.000001')):x",
      "to_variant_object(named_struct('x', cast(1 AS float))):x",
      "to_variant_object(named_struct('x', X'31')):x"
    )
    different("struct(1, 2)", "struct(2, 1)", "struct(1, NULL)")
    different("array(1, 2)", "array(2, 1)", "array(1)", "array(1, NULL)")
    different("map('a', 1, 'b', 2)", "map('a', 2, 'b', 1)", "map('a', 1)")
    different("make_interval(0, 1)", "make_interval(0, 2)", "make_interval(0, 0, 0, 1)")
  }

  test("geometries and geographies by their bytes") {
    def point(x: String) = s"X'0101000000000000000000${x}0000000000000000'"
    val kinds = Seq("st_geomfromwkb", "st_geogfromwkb")
    kinds.foreach { from =>
      val one = s"$from(${point("F03F")})"
      same(one, s"$from(unhex(hex(${point("F03F")})))", s"array($one)[0]")
      different(one, s"$from(${point("0040")})", s"array($one)")
    }
  }

  test("forms of strings, widths, orders of names and fields") {
    def value(
        names: Seq[String],
        long: Boolean
    )(write: (VariantEncoder, Seq[Int]) => Unit): Long = {
      val metadata = new MetadataBuilder
      val ids = names.map(metadata.add)
      // More names make wider ids.
      if (long) (0 until 300).foreach(i => metadata.add(s"unused $i"))
      val encoder = new VariantEncoder
      write(encoder, ids)
      new VariantMeaning().hash(encoder.toByteArray, metadata.build())
    }
    val names = Seq("k", "l")
    val narrow = value(names, long = false)((encoder, _) => encoder.writeInt8(5))
    assert(narrow === value(names, long = true)((encoder, _) => encoder.writeInt64(5)))
    assert(narrow !== value(names, long = true)((encoder, _) => encoder.writeInt64(6)))
  }

  test("a table's checksum is the same however it is shredded, and tells a change") {
    def sum(df: DataFrame): java.math.BigDecimal = df
      .selectExpr("sum(cast(variant_shredded.checksum(struct(*)) AS decimal(38)))")
      .head()
      .getDecimal(0)
    val data = spark
      .range(500)
      .selectExpr(
        "id",
        """parse_json(concat('{"n":', id, ',"d":', id, '.50,"s":"', id, '","a":[', id, ',null]}')) v""",
        "array(parse_json(string(id))) AS vs"
      )
    val expected = sum(data)
    Seq("infer", "none", """{"v": "n bigint, d decimal(18,4), s string, a array<double>"}""")
      .foreach { shredding =>
        val path = newPath()
        writer(data.repartition(3)).option("shredding", shredding).save(path)
        assert(sum(reader.load(path)) === expected, shredding)
      }
    assert(sum(data.where("id <> 7")) !== expected)
    assert(
      sum(data.selectExpr("id", "if(id = 7, parse_json('{}'), v) AS v", "vs")) !== expected
    )
    // The right values in the wrong rows.
    assert(sum(data.selectExpr("499 - id AS id", "v", "vs")) !== expected)
  }

  test("its arguments; other functions of the catalog") {
    val two = intercept[AnalysisException](of("1, 2"))
    assert(two.getMessage.contains("takes one argument"), two.getMessage)
    val _ = intercept[AnalysisException](spark.sql("SELECT variant_shredded.other(1)"))
  }
}
