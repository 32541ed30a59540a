package io.github.variantshredded.read.extract

import java.nio.file.Files

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.{Cases, PathSuite, SharedFiles}
import io.github.variantshredded.variant.VariantPath
import org.apache.spark.sql.{DataFrame, Row}

/** Fields of real documents: the same with push-down, without it, and by Spark's Parquet source. */
class RealDataSuite extends PathSuite {

  private val pushDown = ReadOptions.PushDownExtractions.name

  private val targets =
    Seq("string", "bigint", "double", "boolean", "array<string>", "map<string, string>")

  for {
    name <- Seq("data/movies.json", "data/github-webhooks.json")
    layout <- Seq("spec", "overview")
  } {
    test(s"fields of $name in the layout $layout") {
      assume(SharedFiles.has(name))
      val documents =
        new ObjectMapper().readTree(Files.readAllBytes(SharedFiles.path(name))).asScala.toVector
      val session = spark
      import session.implicits._
      val rows = documents.zipWithIndex
        .map { case (document, id) => id -> document.toString }
        .toDF("id", "json")
        .coalesce(2)
        .selectExpr("id", "parse_json(json) AS v")
      val path = newPath()
      writer(rows).option("layout", layout).save(path)
      // Spark's own source knows one of the layouts only.
      val known = if (layout == "spec") path else newPath()
      if (known != path) writer(rows).save(known)
      val random = new Random(7)
      val paths =
        random.shuffle(documents.take(40).flatMap(pathsOf(_, "$", 4)).distinct).take(Cases(12))
      assert(paths.size > 10)
      paths.grouped(6).foreach { group =>
        val columns = group.flatMap { at =>
          val quoted = at.replace("\\", "\\\\").replace("'", "\\'")
          Seq(
            s"to_json(variant_get(v, '$quoted'))",
            s"is_variant_null(variant_get(v, '$quoted'))",
            s"variant_get(v, '$quoted') IS NULL"
          ) ++
            // A number may have become one of another type.
            Option.when(layout == "spec")(s"schema_of_variant(variant_get(v, '$quoted'))") ++
            targets.map(target => s"try_variant_get(v, '$quoted', '$target')")
        }
        def answers(df: DataFrame): Seq[Row] =
          df.selectExpr(columns.prepended("id"): _*).orderBy("id").collect().toSeq
        val ours = answers(reader.load(path))
        spark.conf.set(pushDown, "false")
        val without =
          try answers(reader.load(path))
          finally spark.conf.unset(pushDown)
        val sparks = answers(spark.read.parquet(known))
        ours.zip(without).zip(sparks).foreach { case ((a, b), c) =>
          assert(a == b && b == c, s"with push-down, without, Spark's, of $group")
        }
        assert(Seq(ours, without, sparks).map(_.size) == Seq.fill(3)(documents.size))
      }
    }
  }

  private def pathsOf(node: JsonNode, path: String, depth: Int): Seq[String] = {
    val found = mutable.ArrayBuffer(path)
    if (depth > 0 && node.isObject) {
      node.properties.asScala.foreach { field =>
        found ++= pathsOf(field.getValue, VariantPath.field(path, field.getKey), depth - 1)
      }
    } else if (depth > 0 && node.isArray) {
      (0 until math.min(2, node.size)).foreach { i =>
        found ++= pathsOf(node.get(i), VariantPath.element(path, i), depth - 1)
      }
    }
    found.toSeq
  }
}
