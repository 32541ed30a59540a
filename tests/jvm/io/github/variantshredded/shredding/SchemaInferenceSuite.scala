package io.github.variantshredded.shredding

import scala.util.Random

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.shredding.layout.SpecLayoutWriter
import io.github.variantshredded.testing.{VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
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
    def add(): Unit = trees.zipWithIndex.foreach { case (tree, i) =>
      val (metadata, value) =
        seed.fold(VariantTree.encode(tree))(s => VariantTree.encode(tree, s + i))
      // Not at the beginning of the array, and not up to its end.
      val bytes = Array.fill[Byte](3)(-1) ++ value ++ metadata ++ Array.fill[Byte](2)(-1)
      val split = 3 + value.length
      result.add(bytes, 3, split, split, split + metadata.length)
    }
    add()
    if (result.needsRecount) {
      result.recount()
      add()
    }
    result
  }

  private def infer(limits: InferenceLimits)(columns: Seq[VariantTree]*): Seq[String] =
    SchemaInference.infer(columns.map(statistics(_, limits)), limits).map(ShreddingText.render)

  private def inferOne(trees: VariantTree*): String = infer(all)(trees).head

  /** With half of the values a type wins. */
  private def inferMajority(trees: VariantTree*): String =
    infer(all.copy(typeShare = 0.5, objectShare = 0.5))(trees).head

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
  }

  test("integers and decimals are one family, of which the most frequent type needs half") {
    assert(inferOne(Decimal4(1, 2), Decimal4(1, 2), Decimal4(1, 1), Int8(1)) === "decimal(18,2)")
    assert(inferOne(Int8(1), Int16(1000), Decimal4(1, 1), Decimal4(1, 2)) === "bigint")
    assert(inferOne(Int8(1), Decimal4(1, 1)) === "bigint")
    assert(inferOne(Decimal4(1, 3), Decimal4(1, 1), Decimal4(1, 2)) === "variant")
    // Doubles are no exact numbers.
    assert(inferOne(Decimal4(1, 2), Dbl(1)) === "variant")
    // A string in ten leaves the family its share, one in nine does not.
    val strings = Seq.fill(5)(Decimal4(1, 2)) ++ Seq.fill(3)(Int8(1)) :+ Str("n/a")
    assert(inferOne(strings: _*) === "variant")
    assert(inferOne(strings :+ Int8(2): _*) === "decimal(18,2)")
  }

  test("a type needs its share, nulls aside; with less there is no type") {
    def field(typed: Int, strays: Int) =
      infer(InferenceLimits())(
        Seq.fill(typed)(obj("a" -> num(1))) ++ Seq.fill(strays)(obj("a" -> Str("x"))) ++
          Seq.fill(strays)(obj("a" -> Null))
      ).head
    assert(field(99, 1) === "a bigint")
    assert(field(90, 10) === "a bigint")
    assert(field(89, 11) === "a variant")
    assert(inferOne(num(1), num(2), Str("x"), Null, Null, Null) === "variant")
    assert(inferMajority(num(1), num(2), Str("x"), Null, Null, Null) === "bigint")
    // As many of each: not the number.
    assert(inferMajority(num(1), Str("x")) === "string")
    assert(inferMajority(num(1), Str("x"), Bool(true)) === "variant")
    val strict = all.copy(typeShare = 1)
    assert(infer(strict)(Seq(num(1), num(2), Str("x"))) === Seq("variant"))
    assert(infer(strict)(Seq(num(1), num(2), Null)) === Seq("bigint"))
  }

  test("objects have a share of their own") {
    def field(objects: Int, strays: Int) =
      infer(InferenceLimits())(
        Seq.fill(objects)(obj("a" -> obj("b" -> num(1)))) ++
          Seq.fill(strays)(obj("a" -> Str("x")))
      ).head
    assert(field(80, 20) === "a struct<b bigint>")
    assert(field(79, 21) === "a variant")
    assert(field(10, 90) === "a string")
  }

  test("texts that look like dates, times or numbers stay texts") {
    assert(
      inferOne(
        obj("a" -> Str("2024-11-21"), "b" -> Str("2024-11-21T16:25:46.096Z"), "c" -> Str("12.50"))
      ) === "a string, b string, c string"
    )
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
    assert(infer(usual)(rows(10, 90)) === Seq("a bigint, b bigint"))
    assert(infer(usual)(rows(9, 91)) === Seq("a bigint"))
  }

  test("the budget goes to the paths that hold most bytes, not to the first of the alphabet") {
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
    // A text in one row of four holds more than a truth value in all.
    val texts = obj("b" -> Bool(true), "t" -> Str("x" * 60)) +: Seq.fill(3)(obj("b" -> Bool(true)))
    assert(infer(all.copy(columns = 2))(texts) === Seq("t string"))
    // No value counts for more than 256 bytes.
    def with300(length: Int) =
      obj("t" -> Str("x" * length)) +: Seq.fill(100)(obj("b" -> Bool(true)))
    assert(infer(all.copy(columns = 2))(with300(1000)) === Seq("b boolean"))
    assert(infer(all.copy(columns = 2))(with300(100)) === Seq("b boolean"))
  }

  test("an object is paid for by the first of its fields that is taken") {
    val row = obj("o" -> obj("x" -> Str("x" * 50), "y" -> Str("x" * 40)), "s" -> Str("x" * 45))
    def with_(columns: Int) = infer(all.copy(columns = columns))(Seq(row)).head
    assert(with_(2) === "s string")
    assert(with_(3) === "o struct<x string>")
    assert(with_(5) === "o struct<x string>, s string")
    assert(with_(7) === "o struct<x string, y string>, s string")
  }

  test("of paths with as many bytes, the earlier column and the first name are taken") {
    val limits = all.copy(columns = 2)
    val one = Seq(obj("b" -> num(1)), obj("a" -> num(1)))
    assert(infer(limits)(one) === Seq("a bigint"))
    assert(infer(limits)(one, one) === Seq("a bigint", "variant"))
    val nested = Seq(obj("a" -> obj("x" -> num(1)), "b" -> num(1)))
    assert(infer(limits)(nested) === Seq("b bigint"))
    assert(infer(all.copy(columns = 3))(nested) === Seq("a struct<x bigint>"))
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
    assert(infer(all.copy(columns = 4))(Seq(row)) === Seq("a array<bigint>"))
    assert(infer(all.copy(columns = 5))(Seq(row)) === Seq("a array<bigint>, b bigint"))
    val longer = obj("a" -> arr(num(1)), "b" -> Str("x" * 20))
    assert(infer(all.copy(columns = 4))(Seq(longer)) === Seq("b string"))
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

  test("an object with many keys is a map: only what half of its objects have is shredded") {
    // 300 keys, of which each row has ten: "hot" is in a fifth of the rows, "all" in half of them.
    def rows(keys: Int) = (0 until 100).map { i =>
      val map = (0 until 10).map(j => s"k${(i * 10 + j) % keys}" -> num(1)).toVector ++
        (if (i % 5 == 0) Seq("hot" -> num(1)) else Nil) ++
        (if (i % 2 == 0) Seq("all" -> num(1)) else Nil)
      obj("id" -> num(1), "map" -> Obj(map))
    }
    assert(infer(InferenceLimits())(rows(300)) === Seq("id bigint, map struct<all bigint>"))
    assert(
      infer(InferenceLimits())(rows(250)) === Seq("id bigint, map struct<all bigint, hot bigint>")
    )
    assert(
      infer(InferenceLimits(mapKeys = 200))(rows(250)) === Seq("id bigint, map struct<all bigint>")
    )
    val onlyKeys = rows(300).map(row => obj("m" -> arr(row.fields(1)._2)))
    assert(infer(InferenceLimits())(onlyKeys) === Seq("m array<struct<all bigint>>"))
    val pure = (0 until 100).map(i => obj("m" -> Obj(Vector.tabulate(10)(j => s"$i-$j" -> num(1)))))
    assert(infer(InferenceLimits())(pure) === Seq("m variant"))
  }

  test("an object of many fields that all rows have is no map") {
    val wide = Obj(Vector.tabulate(1000)(i => s"f$i" -> num(1)))
    val schema = infer(InferenceLimits(columns = 3000))(Seq.fill(20)(wide)).head
    assert(schema.split(',').length === 1000)
  }

  test("names as keys do not take memory without end, and hide no field") {
    val limits = InferenceLimits()
    val rows = (0 until 60).map { i =>
      Obj((0 until 500).map(j => s"k${i * 500 + j}" -> num(1)).toVector :+ ("id" -> num(1)))
    }
    assert(infer(limits)(rows) === Seq("id bigint"))
    // 100,000 keys, in objects at depth, each met once.
    val deep = (0 until 1000).map { i =>
      val users =
        Vector.tabulate(100)(j => s"u${i * 100 + j}" -> obj("n" -> num(1), "s" -> Str("")))
      obj("at" -> arr(obj("users" -> Obj(users), "rare" -> (if (i == 999) num(1) else Null))))
    }
    val counted = statistics(deep, limits)
    assert(counted.peak <= limits.paths + InferenceLimits.MaxValues)
    assert(
      SchemaInference.infer(Seq(counted), limits).map(ShreddingText.render) ===
        Seq("at array<struct<users variant>>")
    )
  }

  test("fields that come late are found among many keys") {
    val limits = InferenceLimits(paths = 100)
    val rows = (0 until 1000).map { i =>
      val key = Vector(s"k${i % 200}" -> num(1))
      Obj(if (i % 100 >= 88) key :+ ("late" -> num(1)) else key)
    } ++ Seq(obj("k1" -> num(1)))
    assert(infer(limits)(rows) === Seq("late bigint"))
    assert(infer(limits)(rows.reverse) === Seq("late bigint"))
  }

  test("rows of all new keys") {
    val rows = (0 until 4096).map(i => obj(s"a$i" -> num(1), s"b$i" -> obj(s"c$i" -> Str("x"))))
    assert(infer(InferenceLimits())(rows) === Seq("variant"))
    assert(infer(InferenceLimits(paths = 50))(rows) === Seq("variant"))
  }

  test("of one huge value a part is looked at") {
    val array = Arr(Vector.fill(5000)(num(1)) ++ Vector.fill(5000)(Str("x")))
    assert(infer(InferenceLimits())(Seq(obj("a" -> array))) === Seq("a array<bigint>"))
    val wide = Obj(Vector.tabulate(40000)(i => f"k$i%05d" -> num(1)))
    val counted = statistics(Seq(wide, obj("k39999" -> num(1))), all)
    assert(counted.peak === InferenceLimits.MaxValues)
  }

  test("the order of rows makes no difference, whatever the limits") {
    val keys = org.scalacheck.Gen.frequency(
      3 -> org.scalacheck.Gen.choose(0, 5).map(i => s"f$i"),
      1 -> org.scalacheck.Gen.choose(0, 1000).map(i => s"k$i")
    )
    val leaf = org.scalacheck.Gen.oneOf[VariantTree](
      Seq(num(1), Int8(2), Str("x"), Decimal4(1, 2), Null, arr(num(1), Str("")), Bool(true))
    )
    def tree(depth: Int): org.scalacheck.Gen[VariantTree] =
      if (depth == 0) leaf
      else
        org.scalacheck.Gen.frequency(
          2 -> leaf,
          3 -> org.scalacheck.Gen
            .listOf(org.scalacheck.Gen.zip(keys, tree(depth - 1)))
            .map(fields => Obj(fields.take(6).distinctBy(_._1).toVector))
        )
    forAll(
      org.scalacheck.Gen.listOfN(60, tree(3)),
      org.scalacheck.Gen.choose(2, 200),
      org.scalacheck.Gen.choose(0, 60),
      org.scalacheck.Gen.choose(2, 40),
      org.scalacheck.Gen.long
    ) { (trees, paths, columns, mapKeys, seed) =>
      val limits =
        InferenceLimits(paths = paths, columns = columns, mapKeys = mapKeys, typeShare = 0.6)
      val shuffled = new Random(seed).shuffle(trees)
      assert(infer(limits)(shuffled) === infer(limits)(trees))
      assert(infer(limits)(trees.reverse) === infer(limits)(trees))
    }
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

  test("rows of many shapes, whatever their order") {
    val shapes = (0 until 64).map { s =>
      Obj((0 until 40).map { i =>
        val field = (s * 7 + i * 7) % 90
        s"field_$field" -> (if (field % 3 == 0) Str(s"text $i") else num(i.toLong))
      }.toVector)
    }
    val encoded = shapes.map(VariantTree.encode)
    val rows = (0 until 4096).map(i => encoded(i % encoded.size))
    val schemas = Seq(rows, rows.sortBy(_._2.length), new Random(1).shuffle(rows)).map { ordered =>
      val statistics = new ColumnStatistics(InferenceLimits())
      ordered.foreach { case (metadata, value) =>
        val bytes = value ++ metadata
        statistics.add(bytes, 0, value.length, value.length, bytes.length)
      }
      SchemaInference.infer(Seq(statistics), InferenceLimits()).head
    }
    assert(SpecLayoutWriter.leafCount(schemas.head) === 180)
    assert(schemas.distinct.size === 1)
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
