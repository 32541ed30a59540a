package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import io.github.variantshredded.read.file.{MalformedFile, MalformedValues}
import io.github.variantshredded.read.file.MalformedValues.elements
import io.github.variantshredded.read.file.ParquetFixture.Row
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{Row => SqlRow}

/** Elements of arrays without `value` and `typed_value`: each is a Variant null. */
class NullElementsSuite extends PathSuite {

  private val columns = Seq(
    "both columns" -> MalformedValues.list,
    "only value" -> MalformedValues.list.replace(" optional int64 typed_value;", ""),
    "only typed_value" -> MalformedValues.list.replace(" optional binary value;", "")
  )

  private val queries = Seq(
    "SELECT to_json(variant_get(v, '$[0]')), to_json(variant_get(v, '$[1]')) FROM t",
    "SELECT schema_of_variant(variant_get(v, '$[0]')) FROM t",
    "SELECT variant_get(v, '$[0]') IS NOT NULL, is_variant_null(variant_get(v, '$[0]')) FROM t",
    "SELECT is_variant_null(variant_get(v, '$[1]')), variant_get(v, '$[1]') IS NULL FROM t",
    "SELECT variant_get(v, '$[0]', 'int'), variant_get(v, '$', 'array<variant>')[0] FROM t",
    "SELECT count(*) FROM t WHERE is_variant_null(variant_get(v, '$[0]'))"
  )

  for ((name, list) <- columns; validation <- Seq("strict", "permissive"))
    test(s"all elements of the file are null: $name, $validation") {
      val path = Path.of(newPath())
      Files.createDirectories(path)
      def rows(cells: Row*) = MalformedFile.rows(list, Map("typed_value" -> elements(cells: _*)))
      rows(Map())(path.resolve("part-0.parquet"))
      rows(Map(), Map())(path.resolve("part-1.parquet"))
      def answers(pushed: Boolean): Seq[Seq[SqlRow]] = withConf(
        ReadOptions.PushDownExtractions.name -> pushed.toString,
        ReadOptions.PushDownPredicates.name -> pushed.toString
      ) {
        reader
          .option("validation", validation)
          .schema("v VARIANT")
          .load(path.toString)
          .createOrReplaceTempView("t")
        queries.map(query => spark.sql(query).collect().toSeq.sortBy(_.toString))
      }
      val expected = answers(pushed = false)
      queries.indices.foreach(i => assert(answers(pushed = true)(i) === expected(i), queries(i)))
      assert(expected.head.map(_.getString(0)) === Seq("null", "null"))
    }
}
