package io.github.variantshredded.replace

import scala.util.{Failure, Random, Success, Try}

import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree
import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariant
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.{Variant, VariantBuilder}
import org.scalacheck.Arbitrary.arbitrary
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class MergedSchemaSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200)

  private val cover = new SchemaCover
  private type Bytes = (Array[Byte], Array[Byte])

  private def bySpark(variants: Seq[Bytes]): Try[DataType] =
    Try(variants.foldLeft(NullType: DataType) { case (merged, (metadata, value)) =>
      SchemaOfVariant.mergeSchema(
        merged,
        SchemaOfVariant.schemaOf(new Variant(value, metadata))
      )
    })

  private def byUs(variants: Seq[Bytes]): Try[DataType] = Try {
    val merged = new MergedSchema(NullType)
    variants.foreach { case (metadata, value) => merged.add(value, metadata, cover) }
    merged.schema
  }

  private def assertAsSpark(variants: Seq[Bytes]): Unit =
    (bySpark(variants), byUs(variants)) match {
      case (Success(wanted), Success(found)) => assert(found == wanted): Unit
      case (Failure(wanted), Failure(found)) =>
        assert(found.getMessage == wanted.getMessage): Unit
      case (wanted, found) => fail(s"$found instead of $wanted")
    }

  private def json(texts: String*): Seq[Bytes] = texts.map { text =>
    val variant = VariantBuilder.parseJson(text, false)
    (variant.getMetadata, variant.getValue)
  }

  test("the merged schema of any Variants is Spark's, each of them twice") {
    forAll(Gen.listOfN(4, genVariantTree(3, 4)), arbitrary[Long]) { (trees, seed) =>
      val variants = trees.map(VariantTree.encode(_, seed))
      assertAsSpark(variants ++ variants)
    }
  }

  test("objects of few names and types") {
    val random = new Random(7)
    val scalars =
      Seq("1", "1.5", "0.25", "100.0", "1e0", "1e300", "0.00", "null", "true", "\"a\"", "[]", "{}")
    def text(depth: Int): String = random.nextInt(if (depth == 0) 1 else 3) match {
      case 0 => scalars(random.nextInt(scalars.size))
      case 1 => Seq.fill(random.nextInt(3))(text(depth - 1)).mkString("[", ",", "]")
      case 2 =>
        val names = random.shuffle(Seq("a", "A", "b", "B", "c", "\ud83d\ude00", "\uffee"))
        names.take(random.nextInt(4)).map(n => s"\"$n\":${text(depth - 1)}").mkString("{", ",", "}")
    }
    (0 until 300).foreach { _ =>
      assertAsSpark(json(Seq.fill(20)(text(3)): _*))
    }
  }

  test("elements of an array whose names differ in case only, which Spark merges with each other") {
    assertAsSpark(json("""[{"A":1e0,"a":1}]""", """[{"a":1},{"A":2e0}]"""))
    assertAsSpark(json("""[{"A":1,"a":null}]""", """[{"a":null},{"A":5}]"""))
    assertAsSpark(json("""[[{"x":{"A":1e0,"a":1}}]]""", """[[{"x":{"a":1}},{"x":{"A":2e0}}]]"""))
    assertAsSpark(json("[{\"\u212a\":1e0,\"k\":1}]", "[{\"k\":1},{\"\u212a\":2e0}]"))
    val (upper, lower) = ("\ud801\udc00", "\ud801\udc28")
    assertAsSpark(
      json(s"[{\"$upper\":1e0,\"$lower\":1}]", s"[{\"$lower\":1},{\"$upper\":2e0}]")
    )
  }

  test("decimals") {
    val random = new Random(11)
    val texts = Seq.fill(400) {
      val digits = 1 + random.nextInt(38)
      val number = BigInt(digits * 3, random).toString.take(digits)
      BigDecimal(BigInt(number), random.nextInt(39)).bigDecimal.toPlainString
    } ++ Seq("0.0", "-1.10", "10.0", "-0.001", "99999.9999", "1000000000000.00")
    random.shuffle(texts).grouped(5).foreach(group => assertAsSpark(json(group ++ group: _*)))
  }

  test("damaged values are left to Spark") {
    val (metadata, value) = json("""{"a":{"b":[1,{"c":"x"},1.25]},"d":"yy","e":true}""").head
    val other = json("""{"a":1,"z":{"b":[2]}}""").head
    value.indices.foreach { i =>
      val damaged = value.clone()
      damaged(i) = (damaged(i) ^ 1).toByte
      Seq(damaged, value.take(i)).foreach { broken =>
        assertAsSpark(Seq((metadata, value), other, (metadata, broken), (metadata, value)))
        assertAsSpark(Seq((metadata, value), (other._1, broken)))
        // A schema that stays the same with any value.
        assertAsSpark(json("1", "\"x\"") :+ ((metadata, value)) :+ ((metadata, broken)))
      }
    }
  }

  test("fields out of order") {
    val (metadata, value) = json("""{"a":1,"b":2}""").head
    // The two ids swapped.
    val swapped = value.clone()
    swapped(2) = value(3)
    swapped(3) = value(2)
    assertAsSpark(Seq((metadata, value), (metadata, swapped)))
    assertAsSpark(json("1", "\"x\"") :+ ((metadata, value)) :+ ((metadata, swapped)))
  }

  test("what stays the same with two types does so with what they merge to") {
    val decimals =
      for (p <- Seq(1, 2, 5, 18, 19, 20, 22, 37, 38); s <- Seq(0, 1, 2, 18, 19, 38) if s <= p)
        yield DecimalType(p, s)
    val types: Seq[DataType] = Seq(
      NullType,
      BooleanType,
      LongType,
      FloatType,
      DoubleType,
      StringType,
      BinaryType,
      DateType,
      TimestampType,
      TimestampNTZType,
      VariantType,
      ArrayType(NullType),
      ArrayType(LongType),
      StructType(Nil),
      new StructType().add("a", LongType)
    ) ++ decimals
    def isHeld(merged: DataType, other: DataType) =
      SchemaOfVariant.mergeSchema(merged, other) == merged
    for (merged <- types) {
      val held = types.filter(isHeld(merged, _))
      for (a <- held; b <- held) {
        assert(isHeld(merged, SchemaOfVariant.mergeSchema(a, b)), s"$merged: $a, $b")
      }
    }
  }
}
