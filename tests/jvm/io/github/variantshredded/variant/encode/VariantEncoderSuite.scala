package io.github.variantshredded.variant.encode

import java.math.{BigDecimal, BigInteger}

import scala.util.Random

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.variant.{
  MetadataDictionary,
  ObjectCursor,
  ProductCodec,
  VariantReader,
  VariantValidator
}
import org.scalacheck.Arbitrary.arbitrary
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class VariantEncoderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val noNames = Array[Byte](1, 0, 0)

  private def written(write: VariantEncoder => Unit): VariantTree = {
    val encoder = new VariantEncoder
    write(encoder)
    VariantTree.decode(noNames, encoder.toByteArray)
  }

  private def refused(write: VariantEncoder => Unit): String =
    intercept[VariantShreddedException](write(new VariantEncoder)).getMessage

  test("the narrowest integer") {
    for (shift <- Seq(7, 15, 31, 63); delta <- -2L to 2L; sign <- Seq(1, -1)) {
      val number = sign * (1L << shift) + delta
      val expected: VariantTree =
        if (number >= -128 && number <= 127) Int8(number.toByte)
        else if (number >= -32768 && number <= 32767) Int16(number.toShort)
        else if (number >= -2147483648L && number <= 2147483647L) Int32(number.toInt)
        else Int64(number)
      assert(written(_.writeInteger(number)) == expected)
    }
  }

  test("the narrowest decimal whose precision covers digits and scale") {
    assert(written(_.writeDecimal(999999999L, 9)) == Decimal4(999999999, 9))
    assert(written(_.writeDecimal(-999999999L, 10)) == Decimal8(-999999999, 10))
    assert(written(_.writeDecimal(1000000000L, 0)) == Decimal8(1000000000, 0))
    assert(written(_.writeDecimal(-999999999999999999L, 18)) == Decimal8(-999999999999999999L, 18))
    val long = 1000000000000000000L
    assert(written(_.writeDecimal(-long, 0)) == Decimal16(BigInteger.valueOf(-long), 0))
    assert(written(_.writeDecimal(1L, 19)) == Decimal16(BigInteger.ONE, 19))
    val most = BigInteger.TEN.pow(38).subtract(BigInteger.ONE)
    assert(written(_.writeDecimal(new BigDecimal(most.negate, 38))) == Decimal16(most.negate, 38))
    assert(written(_.writeDecimal(new BigDecimal("1.50"))) == Decimal4(150, 2))
  }

  test("numbers that their type cannot have") {
    assert(refused(_.writeDecimal4(1000000000, 0)).contains("more digits than decimal4"))
    assert(refused(_.writeDecimal8(-1000000000000000000L, 0)).contains("more digits than decimal8"))
    assert(
      refused(_.writeDecimal16(BigInteger.TEN.pow(38), 0)).contains("more digits than decimal16")
    )
    assert(refused(_.writeDecimal16(BigInteger.ONE.shiftLeft(130), 0)).contains("more digits"))
    assert(refused(_.writeDecimal4(1, 39)).contains("scale 39"))
    assert(refused(_.writeDecimal(1, -1)).contains("scale -1"))
    assert(refused(_.writeTime(86400000000L)).contains("not a time of day"))
  }

  test("strings: short form up to 63 bytes, the long form on request") {
    for (length <- Seq(0, 1, 63, 64, 300)) {
      val text = ("x" * length).getBytes
      val encoder = new VariantEncoder
      encoder.writeString(text, 0, length)
      assert(encoder.position == length + (if (length <= 63) 1 else 5))
      assert(written(_.writeLongString(text, 0, length)) == Str("x" * length))
    }
  }

  test("values one after the other, and a new start") {
    forAll(genVariantTree(3, 4), genVariantTree(3, 4)) { (first, second) =>
      val names = new MetadataBuilder
      val encoder = new VariantEncoder
      for (_ <- 1 to 2) {
        encoder.reset()
        names.reset()
        ProductCodec.write(first, encoder, names)
        val middle = encoder.position
        ProductCodec.write(second, encoder, names)
        val metadata = names.build()
        val all = encoder.toByteArray
        assert(sameAs(VariantTree.decode(metadata, all.take(middle)), first))
        assert(sameAs(VariantTree.decode(metadata, all.drop(middle)), second))
      }
    }
  }

  test("fields may come in any order; an object cannot have the same name twice") {
    val encoder = new VariantEncoder
    val numbers = (0 until 600).toVector
    Seq(numbers.sortBy(_.toString), numbers.reverse, new Random(94).shuffle(numbers)).foreach {
      order =>
        val names = new MetadataBuilder
        encoder.reset()
        encoder.beginObject()
        for (name <- order) {
          encoder.field(names.add(s"n$name"))
          encoder.writeInt32(name)
        }
        encoder.endObject(names)
        val metadata = names.build()
        val value = encoder.toByteArray
        new VariantValidator()
          .check(value, 0, value.length, MetadataDictionary.parse(metadata, 0, metadata.length))
        val expected = Obj(numbers.map(i => s"n$i" -> Int32(i)))
        assert(sameAs(VariantTree.decode(metadata, value), expected))
    }

    val names = new MetadataBuilder
    Seq(Seq("n1", "n1"), Seq("n0", "n1", "n1"), Seq("n1", "n2", "n1")).foreach { fields =>
      encoder.reset()
      encoder.beginObject()
      fields.foreach { name =>
        encoder.field(names.add(name))
        encoder.writeNull()
      }
      val error = intercept[VariantShreddedException](encoder.endObject(names))
      assert(error.reason == "An object has two fields with the name 'n1'.", fields)
    }
  }

  test("calls in a wrong order") {
    def wrong(calls: VariantEncoder => Unit): Unit = {
      val _ = intercept[IllegalStateException](calls(new VariantEncoder))
    }
    val names = new MetadataBuilder
    wrong(_.endArray())
    wrong(_.endObject(names))
    wrong(_.field(0))
    wrong { e => e.beginArray(); e.field(0) }
    wrong { e => e.beginObject(); e.writeNull() }
    wrong { e => e.beginObject(); e.field(0); e.field(1) }
    wrong { e => e.beginObject(); e.field(0); e.endObject(names) }
    wrong { e => e.beginObject(); e.endArray() }
    wrong { e => e.beginArray(); e.endObject(names) }
  }

  test("the size limit holds for each value, lists included, and memory is not taken before") {
    def limited: VariantEncoder = new VariantEncoder(sizeLimit = 100)
    val text = Array.fill[Byte](1000)('x')
    def exceeds(write: => Unit): Unit = {
      val error = intercept[VariantShreddedException](write)
      assert(error.getMessage == "[VARIANT_SIZE_LIMIT] A Variant cannot be larger than 100 bytes.")
    }
    val encoder = limited
    for (_ <- 1 to 20) encoder.writeLongString(text, 0, 95)
    assert(encoder.position == 2000)
    exceeds(limited.writeLongString(text, 0, 96))
    exceeds(limited.writeBinary(text, 0, 1000))
    val array = limited
    array.beginArray()
    for (_ <- 1 to 49) array.writeNull()
    exceeds(array.endArray()) // 49 elements, 50 offsets, 2
    val fits = limited
    fits.beginArray()
    for (_ <- 1 to 48) fits.writeNull()
    fits.endArray()
    assert(fits.position == 99)
  }

  test("residual objects: raw fields under their own ids") {
    forAll(genObject(genVariantTree(2, 4), 8), arbitrary[Long], arbitrary[Int]) {
      (tree, seed, mask) =>
        val (metadata, value) = VariantTree.encode(tree, seed)
        val names = MetadataDictionary.parse(metadata, 0, metadata.length)
        val cursor = new ObjectCursor().reset(value, 0, value.length)
        val kept = (0 until cursor.numFields).filter(i => (mask & 1 << i) != 0)
        val writer = new ResidualObjectWriter
        val encoder = new VariantEncoder
        for (_ <- 1 to 2) {
          encoder.reset()
          writer.reset()
          kept.foreach { i =>
            val pos = cursor.fieldPos(i)
            val size = VariantReader.valueSize(value, pos, cursor.end)
            writer.add(cursor.fieldId(i), value, pos, size)
          }
          assert(writer.numFields == kept.size)
          // Beside another value, and as an element of an array.
          encoder.writeNull()
          encoder.beginArray()
          encoder.writeInt8(1)
          writer.writeTo(encoder)
          encoder.endArray()
        }
        val keptNames = kept.map(i => names.key(cursor.fieldId(i))).toSet
        val expected = tree match {
          case Obj(fields) => Obj(fields.filter { case (name, _) => keptNames(name) })
          case other       => other
        }
        val bytes = encoder.toByteArray
        new VariantValidator().check(bytes, 1, bytes.length, names)
        assert(sameAs(VariantTree.decode(metadata, bytes.drop(1)), arr(Int8(1), expected)))
        encoder.reset()
        val before = encoder.position
        writer.writeTo(encoder)
        assert(writer.encodedSize == encoder.position - before)
    }
  }

  test("residual objects with wide counts, ids and offsets, and with too many bytes") {
    val child = VariantTree.encode(Str("x" * 400))._2
    // The largest id is the first one or the last one: ids follow the names, not the other way.
    for {
      (count, firstId) <- Seq((0, 0), (255, 0), (256, 1), (300, 70000), (300, 20000000))
      step <- Seq(1, -1)
      base = if (step > 0) firstId else firstId + count
    } {
      val writer = new ResidualObjectWriter
      (0 until count).foreach(i => writer.add(base + step * i, child, 0, child.length))
      val encoder = new VariantEncoder
      writer.writeTo(encoder)
      val value = encoder.toByteArray
      val cursor = new ObjectCursor().reset(value, 0, value.length)
      assert(cursor.numFields == count && cursor.end == value.length)
      (0 until count).foreach { i =>
        assert(cursor.fieldId(i) == base + step * i)
        val pos = cursor.fieldPos(i)
        assert(value.slice(pos, pos + child.length).sameElements(child))
      }
    }
    val writer = new ResidualObjectWriter
    (0 until 10).foreach(i => writer.add(i, child, 0, child.length))
    val error = intercept[VariantShreddedException](writer.writeTo(new VariantEncoder(4000)))
    assert(error.condition == "VARIANT_SIZE_LIMIT")
  }
}
