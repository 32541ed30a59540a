package io.github.variantshredded.write.infer

import java.nio.file.{Files, Path}

import io.github.variantshredded.shredding.{
  InferenceLimits,
  ShreddingSchema,
  ShreddingSpec,
  ShreddingText
}
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import io.github.variantshredded.write.WriteSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/** Inference over rows of Spark, and over whole files. */
class SampleInferenceSuite extends WriteSuite {

  private def schemaOf(path: Path, column: String): String =
    ShreddingText.render(
      SpecLayoutReader
        .read(footer(onlyFile(path)).getFileMetaData.getSchema, Seq(column), 200)
        .root
        .schema
    )

  private def texts(df: DataFrame): Seq[String] =
    df.selectExpr("to_json(struct(*))").collect().map(_.getString(0)).toSeq

  // More keys than are counted at a time, each met once, beside a column with few.
  private def keys(rows: Int): DataFrame = {
    val pairs = (0 until 10).map(j => s"concat('\"k', id * 10 + $j, '\": {\"n\": 1}')")
    spark
      .range(0, rows.toLong, 1, 1)
      .selectExpr(
        s"parse_json(concat('{\"id\": ', id, ', \"keys\": {', ${pairs.mkString(", ', ', ")}, '}}')) AS v",
        "parse_json('{\"a\": 1, \"b\": [\"x\"]}') AS w"
      )
  }

  test("a batch in which every row has new keys") {
    val df = keys(3000)
    val path = written(df)
    assert(schemaOf(path, "v") === "id bigint, keys variant")
    assert(schemaOf(path, "w") === "a bigint, b array<string>")
    assert(texts(spark.read.parquet(path.toString)) === texts(df))
  }

  test("the same rows give the same bytes") {
    Seq(keys(3000), keys(20)).foreach { df =>
      def bytes() = Files.readAllBytes(onlyFile(written(df))).toSeq
      assert(bytes() === bytes())
    }
  }

  private def drifted(
      before: String,
      after: String,
      option: String = "infer",
      count: Int = 200,
      limits: InferenceLimits = InferenceLimits()
  ) = {
    def rows(json: String): (DataFrame, Seq[UnsafeRow]) = {
      val df = spark.range(0, count.toLong, 1, 1).selectExpr(s"parse_json($json) AS v")
      val toUnsafe = UnsafeProjection.create(df.schema)
      df -> df.queryExecution.toRdd.map(_.copy()).collect().toSeq.map(toUnsafe(_).copy())
    }
    val (df, first) = rows(before)
    val spec =
      ShreddingSpec.parse(
        option,
        df.schema,
        caseSensitive = false,
        (_, _) => ShreddingSchema.Unshredded
      )
    val current = SampleInference.infer(df.schema, spec, first, limits)
    SampleInference
      .drifted(df.schema, spec, rows(after)._2, limits, current)
      .map(_.toString)
  }

  private def share(part: Int, then_ : String, otherwise: String) =
    s"if(id % 100 < $part, '$then_', '$otherwise')"

  test("drift of rows against the schemas of a file") {
    val row = """'{"a": 1, "b": {"y": 1, "x": "x"}, "c": [1]}'"""
    assert(drifted(row, row) === None)
    assert(drifted(row, """'{"a": 1000000, "b": {"x": "y", "y": 7}, "c": [7, 8]}'""") === None)
    assert(
      drifted(row, """'{"a": 1}'""") ===
        Some("drift of presence: $.b of the column 'v' has become rare")
    )
    assert(
      drifted(row, """'{"a": "1", "b": {"x": "x", "y": 1}, "c": [1]}'""") ===
        Some("drift of type: $.a of the column 'v' now has the type string")
    )
    assert(
      drifted(row, """'{"a": 1, "b": {"x": "x", "y": {"z": 1}}, "c": [1]}'""") ===
        Some("drift of type: $.b.y of the column 'v' now has the type object")
    )
    assert(
      drifted(row, """'{"a": 1, "b": {"x": "x", "y": 1}, "c": ["1"]}'""") ===
        Some("drift of type: $.c[*] of the column 'v' now has the type string")
    )
    assert(
      drifted("""'{"a": 1}'""", """'{"a": 1, "c": {"d": 2}}'""") ===
        Some("new field: $.c of the column 'v' has become frequent, type object")
    )
    // What is given does not drift.
    assert(drifted(row, """'{"z": 1}'""", """{"v": "b int, a string"}""") === None)
    // Too few rows to say.
    assert(drifted(row, """'{"z": 1}'""", count = 99) === None)
  }

  test("a file does not end because of a few rows more or less") {
    val (with_, without) = ("""{"a": 1, "r": 2}""", """{"a": 1}""")
    // Presence comes at a tenth: it is gone below a twentieth, and new from a fifth on.
    assert(drifted(share(10, with_, without), share(5, with_, without)) === None)
    assert(
      drifted(share(10, with_, without), share(4, with_, without)) ===
        Some("drift of presence: $.r of the column 'v' has become rare")
    )
    assert(drifted(share(9, with_, without), share(19, with_, without)) === None)
    assert(
      drifted(share(9, with_, without), share(20, with_, without)) ===
        Some("new field: $.r of the column 'v' has become frequent, type bigint")
    )
    // Strays: a tenth at first, then two; then none where there was no type.
    val (number, text) = ("""{"a": 1}""", """{"a": "x"}""")
    assert(drifted(share(10, text, number), share(20, text, number)) === None)
    assert(
      drifted(share(10, text, number), share(21, text, number)) ===
        Some("drift of type: $.a of the column 'v' now has the type variant (several types)")
    )
    assert(drifted(share(11, text, number), share(6, text, number)) === None)
    assert(
      drifted(share(11, text, number), share(5, text, number)) ===
        Some("new type: $.a of the column 'v' now has one type, bigint")
    )
  }

  test("a file does not end because its column budget is used up") {
    def same(json: String) = drifted(json, json, limits = InferenceLimits(columns = 5))
    val long = "long" * 20
    // An object that mixed values are near to making a field without a type, which is cheaper.
    val fields = s"""{"x": "$long", "y": "$long"}"""
    assert(
      same(share(85, s"""{"a": 1, "b": 2, "o": $fields}""", """{"a": 1, "b": 2, "o": "t"}""")) ===
        None
    )
    // A field without a type that is near to having one, which costs more.
    def texts(m: String) = s"""{"a": "$long", "b": "$long", "m": $m}"""
    assert(same(share(85, texts("1"), texts("\"t\""))) === None)
    // A field with a type, for which one column too few is left, would fit without its type.
    assert(same(share(92, texts("1"), texts("\"t\""))) === None)
  }

  test("a field is new if the column budget has columns left for it") {
    def found(columns: Int) = drifted(
      """'{"a": 1}'""",
      """'{"a": 1, "o": {"x": 1, "y": [1]}}'""",
      limits = InferenceLimits(columns = columns)
    )
    assert(found(4) === None)
    assert(found(5) === Some("new field: $.o of the column 'v' has become frequent, type object"))
  }
}
