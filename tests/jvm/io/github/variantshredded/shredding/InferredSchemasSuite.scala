package io.github.variantshredded.shredding

import java.nio.charset.StandardCharsets
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import io.github.variantshredded.testing.{Golden, SharedFiles}
import org.apache.spark.types.variant.VariantBuilder
import org.scalatest.funsuite.AnyFunSuite

/** Inferred schemas of whole data sets, kept in `tests/golden`. */
class InferredSchemasSuite extends AnyFunSuite {

  private val mapper = JsonMapper
    .builder()
    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()

  private def infer(
      rows: Seq[String],
      limits: InferenceLimits,
      choice: InferenceChoice = InferenceChoice.Free
  ): ShreddingSchema = InferredSchema.of(
    rows.map { row =>
      val variant = VariantBuilder.parseJson(row, false)
      (variant.getMetadata, variant.getValue)
    },
    limits,
    choice
  )

  /** One field a line. */
  private def lines(schema: ShreddingSchema, indent: String = "  "): String = schema match {
    case ShreddingSchema.ObjectOf(fields) =>
      fields.map { case (name, field) =>
        field match {
          case ShreddingSchema.ObjectOf(_) =>
            s"$indent${ShreddingText.quote(name)} struct\n${lines(field, s"$indent  ")}"
          case _ => s"$indent${ShreddingText.quote(name)} ${ShreddingText.render(field)}\n"
        }
      }.mkString
    case other => s"$indent${ShreddingText.render(other)}\n"
  }

  private def golden(name: String, cases: (String, ShreddingSchema)*): Unit =
    Golden.check(
      name,
      cases.map { case (title, schema) => s"$title\n${lines(schema)}" }.mkString("\n")
    )

  private def shared(name: String): JsonNode =
    mapper.readTree(Files.readString(SharedFiles.path(s"data/$name"), StandardCharsets.UTF_8))

  private def twice(rows: Seq[String], limits: InferenceLimits): ShreddingSchema = {
    val schema = infer(rows, limits)
    assert(infer(rows, limits) === schema)
    assert(infer(new scala.util.Random(7).shuffle(rows), limits) === schema)
    schema
  }

  test("movies") {
    assume(SharedFiles.has("data/movies.json"), "no data/movies.json")
    val rows = shared("movies.json").elements.asScala.map(_.toString).toSeq
    golden(
      "inferred-movies.txt",
      "all" -> twice(rows, InferenceLimits()),
      "10 columns" -> twice(rows, InferenceLimits(columns = 10)),
      "presence 0.5, type 0.5" ->
        twice(rows, InferenceLimits(frequency = 0.5, typeShare = 0.5))
    )
  }

  test("GitHub webhooks") {
    assume(SharedFiles.has("data/github-webhooks.json"), "no data/github-webhooks.json")
    val rows = shared("github-webhooks.json").elements.asScala
      .flatMap(_.path("examples").elements.asScala)
      .map(_.toString)
      .toSeq
    golden(
      "inferred-webhooks.txt",
      "all" -> twice(rows, InferenceLimits()),
      "60 columns" -> twice(rows, InferenceLimits(columns = 60)),
      "few paths at a time" -> twice(rows, InferenceLimits(paths = 500, columns = 60))
    )
  }

  private val drift: Seq[(String, Seq[String])] = {
    def rows(row: Int => String) = (0 until 2000).map(row)
    Seq(
      "presence: f5 to f20 in that many percent of the rows" -> rows { i =>
        Seq(5, 9, 10, 20)
          .filter(share => i % 100 < share)
          .map(share => s""""f$share": $i""")
          .mkString("{", ", ", "}")
      },
      "types: 1, 10, 11 percent of strays" -> rows { i =>
        def field(strays: Int) = if (i % 100 < strays) "\"n/a\"" else i.toString
        s"""{"s1": ${field(1)}, "s10": ${field(10)}, "s11": ${field(11)}}"""
      },
      "prices with two, one and no digits" -> rows { i =>
        val price = if (i % 10 < 8) "19.99" else if (i % 10 < 9) "20.5" else "20"
        s"""{"price": $price, "even": ${if (i % 2 == 0) "1.5" else "2"}}"""
      },
      "an object that is a text at times" -> rows { i =>
        def field(objects: Int) =
          if (i % 100 < objects) s"""{"uri": "at://$i", "cid": "$i"}""" else s""""did:$i""""
        s"""{"o80": ${field(80)}, "o75": ${field(75)}}"""
      },
      "maps: by id, by date, with two fixed fields, in an array" -> rows { i =>
        val day = f"2024-${i / 28 % 12 + 1}%02d-${i % 28 + 1}%02d"
        s"""{"id": $i, "users": {"u$i": {"n": 1}, "u${i + 1}": {"n": 2}},
           | "days": {"$day": $i}, "mixed": {"kind": "x", "k$i": 1, "total": 2},
           | "list": [{"a$i": 1, "b": 2}]}""".stripMargin
      },
      "new keys in every row" -> rows(i => s"""{"a$i": 1, "b$i": {"c$i": "x"}, "d$i": [$i]}"""),
      "texts that look like other types" -> rows { i =>
        s"""{"date": "2024-11-21", "time": "2024-11-21T16:25:46.096Z", "number": "$i", "no": "true"}"""
      },
      "arrays: of numbers, of objects, of both, empty, of arrays" -> rows { i =>
        s"""{"n": [1, $i], "o": [{"x": $i}, {"x": 1, "y": "z"}], "b": [1, "x"], "e": [],
           | "a": [[$i], []]}""".stripMargin
      },
      "the second half has other fields and types" -> rows { i =>
        if (i < 1000) s"""{"id": $i, "old": "x", "v": $i}"""
        else s"""{"id": "$i", "new": 1, "v": $i}"""
      }
    )
  }

  test("generated drift") {
    golden(
      "inferred-drift.txt",
      drift.map { case (title, rows) => title -> twice(rows, InferenceLimits()) }: _*
    )
  }

  test("the drift of a field, against the schema of the rows before") {
    val cases = for ((title, rows) <- drift) yield {
      val before = infer(rows.take(1000), InferenceLimits())
      val after = infer(
        rows.drop(1000),
        InferenceLimits(),
        InferenceChoice(current = Some(before))
      )
      title -> after
    }
    golden("inferred-after-drift.txt", cases: _*)
  }

  test("100,000 keys") {
    val limits = InferenceLimits()
    val statistics = new ColumnStatistics(limits)
    def add(): Unit = (0 until 4096).foreach { i =>
      val keys = (0 until 25).map(j => s""""key-${i * 25 + j}": {"n": $j}""").mkString(", ")
      val variant = VariantBuilder.parseJson(s"""{"id": $i, "keys": {$keys}}""", false)
      val (value, metadata) = (variant.getValue, variant.getMetadata)
      statistics.add(
        value ++ metadata,
        0,
        value.length,
        value.length,
        value.length + metadata.length
      )
    }
    add()
    assert(statistics.needsRecount)
    assert(statistics.peak <= limits.paths + InferenceLimits.MaxValues)
    statistics.recount()
    add()
    val schema = SchemaInference.infer(Seq(statistics), limits).head
    assert(ShreddingText.render(schema) === "id bigint, keys variant")
  }
}
