package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import scala.util.Random

import io.github.variantshredded.testing.{PathSuite, VariantTree, VariantTreeEncoder}
import io.github.variantshredded.testing.VariantTree._

/**
 * The specification orders the fields of an object by their UTF-8 bytes, Spark by UTF-16. Queries of
 * objects in the first order have the same answers with and without push-down.
 */
class FieldOrdersSuite extends PathSuite {

  private def name(codePoint: Int) = new String(Character.toChars(codePoint))
  private val emoji = name(0x1f600)
  private val kana = name(0xff71)

  /** 40 fields, in the order of the specification. Spark has the last 20 first. */
  private val fields: Seq[(String, VariantTree)] =
    (Seq.tabulate(20)(i => name(0xff71 + i)) ++ Seq.tabulate(20)(i =>
      name(0x1f600 + i)
    )).zipWithIndex
      .map { case (name, i) => name -> Int8(i.toByte) }

  private val large = obj(fields: _*)
  private val tree =
    obj(("l" -> arr(large, obj("x" -> large))) +: ("o" -> large) +: fields: _*)
  private val names = ("a" +: VariantTreeEncoder.fieldNames(tree)).sorted

  // With this seed the encoder orders fields by bytes.
  private val seed = Iterator.from(0).find(seed => !new Random(seed.toLong).nextBoolean()).get
  private val row: ParquetFixture.Row = Map(
    "metadata" -> VariantTreeEncoder.metadata(names.toVector, sorted = false, 2),
    "value" -> VariantTreeEncoder.value(tree, names.toVector, seed.toLong)
  )

  private val queries = Seq(
    "to_json(v)",
    "cast(v as string)",
    "to_json(variant_get(v, '$.o'))",
    "variant_get(v, '$.o', 'string')",
    "to_json(variant_get(v, '$.l[1].x'))",
    "to_json(variant_get(v, '$.l'))",
    s"""variant_get(v, "$$['$emoji']", 'int')""",
    s"""variant_get(v, "$$['$kana']", 'int')""",
    s"""variant_get(v, "$$.o['$emoji']", 'int')""",
    s"""variant_get(v, "$$.l[1].x['$emoji']", 'int')""",
    s"variant_get(v, '$$.o', 'struct<`$emoji`: int, `$kana`: int>')"
  )

  private def check(columns: String, row: ParquetFixture.Row): Unit = {
    val path = newPath()
    Files.createDirectories(Path.of(path))
    MalformedFile.rows(columns, row)(Path.of(path, "part-0.parquet"))
    def answers(pushDown: Boolean): Seq[Any] =
      withConf("spark.sql.variantShredded.pushDownExtractions" -> pushDown.toString) {
        // Each in a query of its own, so that none of them reads more than it needs.
        queries.map(query => reader.load(path).selectExpr(query).head().get(0))
      }
    val pushed = answers(pushDown = true)
    queries.zip(pushed.zip(answers(pushDown = false))).foreach { case (query, (on, off)) =>
      assert(on === off, query)
    }
    assert(pushed.slice(6, 10) === Seq(20, 0, 20, 20))
  }

  test("an unshredded object whose fields are in the order of bytes") {
    check("required binary value;", row)
  }

  test("an object with a shredded field, whose other fields are in the order of bytes") {
    val shredded = "optional group typed_value { required group a { optional binary value; " +
      "optional int64 typed_value; } }"
    check(
      s"optional binary value; $shredded",
      row + ("typed_value" -> Map("a" -> Map("typed_value" -> 1L)))
    )
  }

  test("an object in a shredded field of another type") {
    val shredded = "optional group typed_value { required group o { optional binary value; " +
      "optional int64 typed_value; } }"
    val others = VariantTreeEncoder.value(
      obj(tree.asInstanceOf[Obj].fields.filter(_._1 != "o"): _*),
      names.toVector,
      seed.toLong
    )
    val own = VariantTreeEncoder.value(large, names.toVector, seed.toLong)
    check(
      s"optional binary value; $shredded",
      row + ("value" -> others) + ("typed_value" -> Map("o" -> Map("value" -> own)))
    )
  }
}
