package io.github.variantshredded.shredding

import io.github.variantshredded.{VariantGenerators, VariantShreddedException, VariantTree}
import io.github.variantshredded.VariantTree._
import io.github.variantshredded.shredding.layout.SpecLayoutWriter
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SchemaInferenceSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import VariantGenerators.shrinkTree

  private val all = InferenceLimits(frequency = 0)

  private def statistics(
      trees: Seq[VariantTree],
      limits: InferenceLimits,
      seed: Option[Long] = None
  ): ColumnStatistics = {
    val result = new ColumnStatistics(limits)
    trees.zipWithIndex.foreach { case (tree, i) =>
      val (metadata, value) =
        seed.fold(VariantTree.encode(tree))(s => VariantTree.encode(tree, s + i))
      // Not at the beginning of the array, and not up to its end.
      val bytes = Array.fill[Byte](3)(-1) ++ value ++ metadata ++ Array.fill[Byte](2)(-1)
      val split = 3 + value.length
      result.add(bytes, 3, split, split, split + metadata.length)
    }
    result
  }

  private def infer(limits: InferenceLimits)(columns: Seq[VariantTree]*): Seq[String] =
    SchemaInference.infer(columns.map(statistics(_, limits)), limits).map(ShreddingText.render)

  private def inferOne(trees: VariantTree*): String = infer(all)(trees).head

  private def num(value: Long): VariantTree = Int64(value)

  test("no rows, only nulls and empty containers stay unshredded") {
    assert(inferOne() === "variant")
    assert(inferOne(Null, Null) === "variant")
    assert(inferOne(obj(), obj()) === "variant")
    assert(inferOne(arr(), arr(Null)) === "variant")
    assert(inferOne(obj("a" -> Null)) === "variant")
  }

  test("scalars keep their type; all integers are bigint") {
    assert(inferOne(Bool(true), Bool(false), Null) === "boolean")
    assert(inferOne(Int8(1)) === "bigint")
    assert(inferOne(Int8(1), Int16(300), Int32(70000), Int64(1)) === "bigint")
    assert(inferOne(Flt(1)) === "float")
    assert(inferOne(Dbl(1)) === "double")
    assert(inferOne(Str("x")) === "string")
    assert(inferOne(Str("x" * 100)) === "string")
    assert(inferOne(Binary(Vector(1))) === "binary")
    assert(inferOne(Date(1)) === "date")
    assert(inferOne(TimestampMicros(1)) === "timestamp")
    assert(inferOne(TimestampNtzMicros(1)) === "timestamp_ntz")
  }

  test("types that Spark's reader refuses as columns are not inferred, but get a column") {
    Seq(Time(1), TimestampNanos(1), TimestampNtzNanos(1), Uuid(new java.util.UUID(1, 2))).foreach {
      tree =>
        assert(inferOne(tree) === "variant")
        assert(inferOne(obj("a" -> tree, "b" -> Int8(1))) === "a variant, b bigint")
        assert(inferOne(arr(tree)) === "variant")
    }
  }

  test("decimals get the most frequent scale and the digits of their class") {
    assert(inferOne(Decimal4(125, 2), Decimal8(1, 2), Decimal4(5, 1)) === "decimal(18,2)")
    assert(
      inferOne(Decimal16(new java.math.BigInteger("9" * 19), 2), Decimal4(1, 2)) === "decimal(38,2)"
    )
    assert(
      inferOne(Decimal16(new java.math.BigInteger("9" * 18), 2), Decimal4(1, 2)) === "decimal(18,2)"
    )
    assert(inferOne(Decimal16(java.math.BigInteger.ONE, 20)) === "decimal(38,20)")
    // As many of each: the smaller scale.
    assert(inferOne(Decimal4(1, 3), Decimal4(1, 1)) === "decimal(18,1)")
    // A third each.
    assert(inferOne(Decimal4(1, 3), Decimal4(1, 1), Decimal4(1, 2)) === "variant")
    assert(inferOne(Decimal4(1, 1), Int8(1), Str("x")) === "variant")
  }

  test("a type with half of the values wins, nulls aside; with less there is no type") {
    assert(inferOne(num(1), Str("x")) === "string")
    assert(inferOne(num(1), num(2), Str("x"), Null, Null, Null) === "bigint")
    assert(inferOne(num(1), Str("x"), Bool(true)) === "variant")
    assert(
      inferOne(obj("a" -> num(1)), obj("a" -> Str("x")), obj("a" -> Bool(true))) === "a variant"
    )
    val strict = all.copy(typeShare = 1)
    assert(infer(strict)(Seq(num(1), num(2), Str("x"))) === Seq("variant"))
    assert(infer(strict)(Seq(num(1), num(2), Null)) === Seq("bigint"))
  }

  test("objects and arrays, nested; fields in the order of their bytes") {
    assert(
      inferOne(
        obj(
          "b" -> num(1),
          "a" -> obj("y" -> Str(""), "x" -> Dbl(1)),
          "B" -> arr(num(1), num(2)),
          "ä" -> Bool(true),
          "" -> Date(1)
        )
      ) ===
        "`` date, B array<bigint>, a struct<x double, y string>, b bigint, ä boolean"
    )
    assert(
      inferOne(arr(obj("a" -> num(1)), obj("b" -> num(1)))) === "array<struct<a bigint, b bigint>>"
    )
    assert(inferOne(arr(arr(num(1)))) === "array<array<bigint>>")
    assert(inferOne(arr(num(1), Str("x"), Bool(true))) === "variant")
    assert(
      inferOne(
        obj("a" -> arr(), "b" -> num(1)),
        obj("a" -> arr(num(1)))
      ) === "a array<bigint>, b bigint"
    )
    assert(inferOne(obj("a" -> arr())) === "a variant")
  }

  test("a path must hold a value in enough rows") {
    def rows(n: Int, other: Int) = Seq.fill(n)(obj("a" -> num(1), "b" -> num(1))) ++
      Seq.fill(other)(obj("a" -> num(1), "b" -> Null))
    val limits = InferenceLimits(frequency = 0.25)
    assert(infer(limits)(rows(1, 3)) === Seq("a bigint, b bigint"))
    assert(infer(limits)(rows(1, 4)) === Seq("a bigint"))
    // Rows count, not elements.
    val elements = obj("a" -> num(1), "l" -> Arr(Vector.fill(100)(obj("x" -> num(1)))))
    assert(infer(limits)(elements +: Seq.fill(4)(obj("a" -> num(1)))) === Seq("a bigint"))
    // The default.
    val usual = InferenceLimits()
    assert(infer(usual)(rows(5, 95)) === Seq("a bigint, b bigint"))
    assert(infer(usual)(rows(4, 96)) === Seq("a bigint"))
  }

  test("the budget goes to the most frequent paths, not to the first of the alphabet") {
    val rows = Seq(
      obj("z" -> num(1), "m" -> num(1), "a" -> num(1)),
      obj("z" -> num(1), "m" -> num(1)),
      obj("z" -> num(1))
    )
    def with_(columns: Int) = infer(all.copy(columns = columns))(rows).head
    assert(with_(0) === "variant")
    assert(with_(1) === "variant")
    assert(with_(2) === "z bigint")
    assert(with_(3) === "z bigint")
    assert(with_(4) === "m bigint, z bigint")
    assert(with_(6) === "a bigint, m bigint, z bigint")
  }

  test("of paths in as many rows, the earlier column and the path met first are taken") {
    val limits = all.copy(columns = 2)
    val one = Seq(obj("b" -> num(1)), obj("a" -> num(1)))
    assert(infer(limits)(one) === Seq("b bigint"))
    assert(infer(limits)(one, one) === Seq("b bigint", "variant"))
    assert(infer(all.copy(columns = 3))(one, Seq(num(1), num(1))) === Seq("b bigint", "bigint"))
  }

  test("the budget counts what the layout takes, over all columns of the file") {
    forAll(
      org.scalacheck.Gen.listOf(VariantGenerators.genVariantTree(4, 5)),
      org.scalacheck.Gen.choose(0, 40)
    ) { (trees, columns) =>
      val limits = all.copy(columns = columns)
      val half = trees.size / 2
      val schemas = SchemaInference.infer(
        Seq(trees.take(half), trees.drop(half)).map(statistics(_, limits)),
        limits
      )
      assert(schemas.map(SpecLayoutWriter.leafCount).sum <= columns)
    }
  }

  test("a path that takes more than is left is passed over") {
    val row = obj("a" -> arr(num(1)), "b" -> num(1))
    assert(infer(all.copy(columns = 2))(Seq(row)) === Seq("b bigint"))
    assert(infer(all.copy(columns = 3))(Seq(row)) === Seq("a array<bigint>"))
    assert(infer(all.copy(columns = 5))(Seq(row)) === Seq("a array<bigint>, b bigint"))
  }

  test("what lies deeper than allowed stays as it is") {
    val nested = obj("a" -> obj("b" -> obj("c" -> num(1))))
    assert(infer(all.copy(depth = 1))(Seq(nested)) === Seq("a variant"))
    assert(infer(all.copy(depth = 2))(Seq(nested)) === Seq("a struct<b variant>"))
    assert(infer(all.copy(depth = 3))(Seq(nested)) === Seq("a struct<b struct<c bigint>>"))
    val deep = (1 to 500).foldLeft[VariantTree](num(1))((inner, _) => arr(inner))
    assert(infer(all)(Seq(deep)) === Seq("variant"))
    assert(infer(all.copy(depth = 512))(Seq(deep)) === Seq("variant"))
    assert(infer(all.copy(depth = 512, columns = 1000))(Seq(deep)).head.count(_ == '<') === 500)
  }

  test("names as keys do not take memory without end") {
    val rows = (0 until 60).map { i =>
      Obj((0 until 500).map(j => s"k${i * 500 + j}" -> num(1)).toVector :+ ("id" -> num(1)))
    }
    assert(infer(InferenceLimits())(rows) === Seq("id bigint"))
  }

  test("the same rows give the same schema, however they are encoded") {
    forAll(
      org.scalacheck.Gen.listOf(VariantGenerators.genVariantTree(4, 5)),
      org.scalacheck.Gen.long
    ) { (trees, seed) =>
      val limits = all.copy(columns = 20)
      def schema(seed: Option[Long]) =
        SchemaInference.infer(Seq(statistics(trees, limits, seed)), limits)
      assert(schema(None) === schema(None))
      // The order of fields within a row is the order of names, which has two spellings.
      if (VariantTreeNames.haveOneOrder(trees)) assert(schema(Some(seed)) === schema(None))
    }
  }

  test("Variants that are not well-formed are refused") {
    val statistics = new ColumnStatistics(all)
    val e =
      intercept[VariantShreddedException](statistics.add(Array[Byte](1, 0, 0, 0x7c), 3, 4, 0, 3))
    assert(e.getCondition === "MALFORMED_VARIANT")
  }

  test("4,096 rows of many shapes take less than 100 ms") {
    val shapes = (0 until 64).map { s =>
      Obj((0 until 40).map { i =>
        val field = (s * 7 + i * 7) % 90
        s"field_$field" -> (if (field % 3 == 0) Str(s"text $i") else num(i.toLong))
      }.toVector)
    }
    val encoded = shapes.map(VariantTree.encode)
    val threads = java.lang.management.ManagementFactory.getThreadMXBean
    def run(): Long = {
      val started = threads.getCurrentThreadCpuTime
      val statistics = new ColumnStatistics(InferenceLimits())
      (0 until 4096).foreach { i =>
        val (metadata, value) = encoded(i % encoded.size)
        val bytes = value ++ metadata
        statistics.add(bytes, 0, value.length, value.length, bytes.length)
      }
      val schema = SchemaInference.infer(Seq(statistics), InferenceLimits()).head
      assert(SpecLayoutWriter.leafCount(schema) === 180)
      (threads.getCurrentThreadCpuTime - started) / 1000000
    }
    val times = Seq.fill(8)(run())
    info(s"milliseconds: ${times.mkString(", ")}")
    assert(times.min < 100)
  }
}

private object VariantTreeNames {

  /** Whether UTF-8 and UTF-16 sort all names alike. */
  def haveOneOrder(trees: Seq[VariantTree]): Boolean =
    trees.flatMap(VariantTree.subtrees).forall {
      case Obj(fields) => fields.forall { case (name, _) => name.forall(_ < '\ud800') }
      case _           => true
    }
}
