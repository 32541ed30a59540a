package io.github.variantshredded.interop

import java.nio.file.Path

import io.github.variantshredded.shredding.{
  ShreddedType,
  ShreddingGenerators,
  ShreddingSchema,
  ShreddingText
}
import io.github.variantshredded.testing.{Clue, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.write.WriteSuite
import org.apache.spark.sql.DataFrame
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** What the suites of other readers and writers share: rows, tables by path, comparison. */
abstract class InteropSuite extends WriteSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 6)

  /** One of each kind: typed, in the residual, missing, null, and no object at all. */
  protected val documents: Seq[Option[VariantTree]] = Seq(
    Some(
      obj(
        "id" -> Int64(1),
        "price" -> Decimal4(1234, 2),
        "at" -> TimestampMicros(1700000000000000L),
        "day" -> Date(19000),
        "name" -> Str("one"),
        "tags" -> arr(Str("a"), Str("日本")),
        "actor" -> obj("login" -> Str("x"), "bot" -> Bool(true), "rank" -> Dbl(0.5)),
        "items" -> arr(obj("sku" -> Str("k"), "n" -> Int64(3)), obj("sku" -> Null)),
        "rest" -> obj("deep" -> arr(Int8(1), arr(), Null))
      )
    ),
    Some(obj("id" -> Str("two"), "tags" -> arr(Str("b"), Int8(7), Null), "actor" -> Str("nobody"))),
    Some(obj("id" -> Null, "price" -> Decimal8(1L << 40, 2), "tags" -> arr())),
    Some(obj("actor" -> obj("login" -> Int16(300), "more" -> Flt(1.5f)), "items" -> obj())),
    None,
    Some(Null),
    Some(obj()),
    Some(arr(Int8(1), obj("id" -> Int8(2)))),
    Some(Str("text")),
    Some(Int32(1 << 20))
  )

  protected val shredding: String =
    "id bigint, price decimal(9,2), at timestamp, day date, name string, tags array<string>, " +
      "actor struct<login string, bot boolean, rank double>, " +
      "items array<struct<sku string, n bigint>>"

  /** Types that Spark's functions do not take. */
  protected val foreign: Set[ShreddedType] = Set(
    ShreddedType.Time,
    ShreddedType.TimestampNanos,
    ShreddedType.TimestampNtzNanos,
    ShreddedType.Uuid
  )

  /** Rows, and a schema after the first of them. */
  protected def cases(
      trees: Gen[VariantTree],
      unknown: Set[ShreddedType] = Set.empty
  ): Gen[(Seq[Option[VariantTree]], ShreddingSchema)] =
    for {
      several <- Gen.listOfN(20, trees)
      schema <- ShreddingGenerators.genSchemaLike(several.head)
      if !InteropSuite.hasType(schema, unknown)
    } yield (several.map(Option(_)) :+ None, schema)

  /** Written by this source, as users do. */
  protected def saved(df: DataFrame, options: (String, String)*): Path = {
    val path = newPath()
    df.write.format("variant-shredded").options(options.toMap).save(path.toString)
    path
  }

  protected def saved(trees: Seq[Option[VariantTree]], schema: ShreddingSchema): Path =
    saved(variants(trees: _*), "shredding" -> s"""{"v": ${quoted(ShreddingText.render(schema))}}""")

  private def quoted(text: String): String =
    new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(text)

  /** The column `v` as this source reads it, in the order of `n`. */
  protected def loaded(path: String, options: (String, String)*): Seq[Option[VariantTree]] =
    loaded(path, Seq("v"), options: _*).map(_.head)

  /** Variants over `v`, in the order of `n`. */
  protected def loaded(
      path: String,
      expressions: Seq[String],
      options: (String, String)*
  ): Seq[Seq[Option[VariantTree]]] =
    spark.read
      .format("variant-shredded")
      .options(options.toMap)
      .load(path)
      .selectExpr("n" +: expressions: _*)
      .collect()
      .toSeq
      .sortBy(_.getInt(0))
      .map(row => row.toSeq.tail.map(tree))

  /** [[documents]] come back whole, and so does each of their fields by itself. */
  protected def assertDocuments(path: String, options: (String, String)*): Unit = {
    assertSame(loaded(path, options: _*), documents)
    val names = documents.flatten.collect { case Obj(fields) => fields.map(_._1) }.flatten.distinct
    val found = loaded(path, names.map(name => s"variant_get(v, '$$.$name') AS $name"), options: _*)
    names.zipWithIndex.foreach { case (name, i) =>
      assertSame(
        found.map(_(i)),
        documents.map(_.flatMap {
          case Obj(fields) => fields.collectFirst { case (`name`, child) => child }
          case _           => None
        })
      )
    }
  }

  /**
   * Widths of integers and decimals aside.
   *
   * @param scales
   *   whether decimals must have the same scale
   */
  protected def assertSame(
      found: Seq[Option[VariantTree]],
      expected: Seq[Option[VariantTree]],
      scales: Boolean = true
  ): Assertion = {
    found.zip(expected).foreach {
      case (Some(a), Some(b)) =>
        assert(VariantTree.sameAs(a, b, exact = false, scales), Clue(s"$a, expected $b"))
      case (a, b) => assert(a === b)
    }
    assert(found.size === expected.size)
  }
}

object InteropSuite {
  def hasType(schema: ShreddingSchema, types: Set[ShreddedType]): Boolean = schema match {
    case ShreddingSchema.Unshredded              => false
    case ShreddingSchema.ArrayOf(element)        => hasType(element, types)
    case ShreddingSchema.ObjectOf(fields)        => fields.exists(field => hasType(field._2, types))
    case ShreddingSchema.Primitive(shreddedType) => types(shreddedType)
  }
}
