package io.github.variantshredded.write

import java.nio.file.{Files, Path}

import io.github.variantshredded.shredding.{
  InferenceLimits,
  ShreddingSchema,
  ShreddingSpec,
  ShreddingText
}
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/** Inference over rows of Spark, and over whole files. */
class RowInferenceSuite extends WriteSuite {

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

  private val limits = InferenceLimits()

  private def drifted(before: String, after: String, option: String = "infer") = {
    def rows(json: String): (DataFrame, Seq[UnsafeRow]) = {
      val df = spark.range(0, 20, 1, 1).selectExpr(s"parse_json($json) AS v")
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
    val current = RowInference.infer(df.schema, spec, first, limits)
    RowInference
      .drifted(df.schema, spec, rows(after)._2, limits, current)
      .map(_.map(ShreddingText.render))
  }

  test("drift of rows against the schemas of a file") {
    val row = """'{"a": 1, "b": {"y": 1, "x": "x"}}'"""
    assert(drifted(row, row) === None)
    assert(drifted(row, """'{"a": 1000000, "b": {"x": "y", "y": 7}}'""") === None)
    assert(drifted(row, """'{"a": 1}'""") === Some(Seq("a bigint")))
    assert(
      drifted(row, """'{"a": "1", "b": {"x": "x", "y": 1}}'""") ===
        Some(Seq("a string, b struct<x string, y bigint>"))
    )
    assert(drifted("""'{"a": 1}'""", """'{"a": 1, "c": 2}'""") === Some(Seq("a bigint, c bigint")))
    // A tenth of the rows and a twentieth: it stays.
    val often = """if(id % 10 = 0, '{"a": 1, "r": 2}', '{"a": 1}')"""
    val seldom = """if(id = 0, '{"a": 1, "r": 2}', '{"a": 1}')"""
    assert(drifted(often, seldom) === None)
    assert(drifted(seldom, often) === Some(Seq("a bigint, r bigint")))
    // What is given does not drift.
    assert(drifted(row, """'{"z": 1}'""", """{"v": "b int, a string"}""") === None)
  }
}
