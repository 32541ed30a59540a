package io.github.variantshredded.fuzz.bytes

import java.time.ZoneId

import scala.util.{Failure, Random, Success, Try}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.{RandomShredding, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.variant.{
  MetadataDictionary,
  ProductCodec,
  ValidatorWays,
  VariantExtent,
  VariantHash,
  VariantJson
}
import io.github.variantshredded.write.shred.ShreddedVariant
import org.apache.spark.SparkThrowable
import org.apache.spark.types.variant.Variant

/**
 * The bytes of a Variant: its dictionary and its value.
 *
 * An input is a byte that chooses the shredding schema and the layout, a byte with the length of the
 * metadata, the metadata and the value. What the validator accepts has to be read, hashed, written as
 * JSON, made a binary of its own and shredded without an error, and always be the same value; what it
 * refuses has to be refused by the hash and the shredder with `MALFORMED_VARIANT`, and written as JSON
 * as Spark does, or refused with Spark's message, or with `MALFORMED_VARIANT` where its parts overlap so
 * often that its text would have no end.
 */
object VariantsTarget extends FuzzTarget {
  override val name: String = "variants"

  override val isTaken: Boolean = true

  // A level of nesting takes four bytes at least, so that the recursive decoders of the tests keep to
  // the stack.
  override val maxLength: Int = 2000

  private val zone = ZoneId.of("America/Los_Angeles")
  private val json = new VariantJson(zone)

  /**
   * The heap that one input may take. What does not depend on the input are the buffers of the JSON
   * writer, of Parquet's writer (64 kB for each leaf of the schema) and of the file that is read back.
   * Beyond that each step, of which there are about ten, keeps a few objects of some 50 bytes for each
   * byte of the input. Where parts overlap, so many bytes of leaves are written as JSON as
   * `VariantExtent` allows; for each Spark takes 5.7 kB and gives them back, and so does this source where
   * it leaves the text to Spark.
   */
  private def justified(data: Array[Byte]): Long =
    (32L << 20) + 20000L * data.length + 12000L * VariantExtent.most(data)

  private val schemas: Vector[ShreddingSchema] = Vector(
    "variant",
    "a variant, b bigint",
    "bigint",
    "decimal(9,2)",
    "decimal(38,10)",
    "string",
    "array<variant>",
    "a struct<a int, b struct<c array<string>, d date>>, b array<struct<a double, b variant>>",
    "a timestamp, b timestamp_ntz, c binary, d float, e boolean, f smallint, g tinyint",
    "array<array<int>>"
  ).map(ShreddingText.parse)

  override def run(data: Array[Byte]): Unit = if (data.length > 2) {
    val metadataEnd = math.min(2 + (data(1) & 0xff), data.length)
    val metadata = data.slice(2, metadataEnd)
    val value = data.drop(metadataEnd)
    val choice = data(0) & 0x7f
    val layout = if (data(0) < 0) Layout.Overview else Layout.Spec
    Allocation.within(justified(data), s"A Variant of ${data.length} bytes") {
      check(metadata, value, schemas(choice % schemas.size), layout)
    }
  }

  private def check(
      metadata: Array[Byte],
      value: Array[Byte],
      schema: ShreddingSchema,
      layout: Layout
  ): Unit = {
    val names = accepted(MetadataDictionary.parse(metadata, 0, metadata.length, strict = true))
    val lenient = accepted(MetadataDictionary.parse(metadata, 0, metadata.length, strict = false))
    expect(names.isEmpty || lenient.nonEmpty, "permissive mode refuses what strict mode accepts")
    lenient.foreach(accepts(value, _))
    if (names.exists(accepts(value, _))) checkAccepted(metadata, value, names.get, schema, layout)
    else {
      refused("the hash")(VariantHash.of(value, metadata))
      refused("the shredder")(ShreddedVariant.write(schema, layout, metadata, value))
    }
    checkJson(metadata, value)
  }

  private def accepts(value: Array[Byte], names: MetadataDictionary): Boolean = {
    val quick = accepted(ValidatorWays.check(value, names)).isDefined
    val inDepth = accepted(ValidatorWays.checkInDepth(value, names)).isDefined
    expect(quick == inDepth, s"the quick check says $quick, the check in depth $inDepth")
    quick
  }

  private def checkAccepted(
      metadata: Array[Byte],
      value: Array[Byte],
      names: MetadataDictionary,
      schema: ShreddingSchema,
      layout: Layout
  ): Unit = {
    val tree = VariantTree.decode(metadata, value)
    same("the reader", ProductCodec.decode(metadata, value), tree)
    val (ownNames, own) = ProductCodec.encode(tree)
    same("the encoder", VariantTree.decode(ownNames, own), tree)
    expect(
      VariantHash.of(value, metadata) == VariantHash.of(own, ownNames),
      s"another encoding of $tree has another hash"
    )
    val alone = ShreddedVariant.own(value, names)
    same("the binary of its own", alone, tree)
    val (unshredded, rebuilt) = ShreddedVariant.roundTrip(schema, layout, metadata, value)
    expect(Meaning.same(unshredded, tree), s"$tree was shredded as $unshredded")
    expect(Meaning.same(rebuilt, tree), s"$tree was read back as $rebuilt")
  }

  private def checkJson(metadata: Array[Byte], value: Array[Byte]): Unit =
    // Spark's own text of such a value would have no end, if nothing else is wrong with it.
    if (!VariantExtent.isExceeded(value)) checkJsonAsSpark(metadata, value)
    else {
      Try(json.write(value, metadata)) match {
        case Failure(e: SparkThrowable) if malformed(e.getCondition) => ()
        case other => throw new AssertionError(s"JSON of a value without end is $other")
      }
    }

  /** The conditions of Spark; the first is this source's too. */
  private val malformed = Set("MALFORMED_VARIANT", "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT")

  private def checkJsonAsSpark(metadata: Array[Byte], value: Array[Byte]): Unit = {
    val ours = Try(json.write(value, metadata).toString)
    Try(new Variant(value, metadata).toJson(zone)) match {
      case Success(text)  => expect(ours == Success(text), s"JSON is $ours, not $text")
      case Failure(error) =>
        expect(
          ours.failed.map(_.getMessage) == Success(error.getMessage),
          s"JSON is $ours, not the error $error"
        )
    }
  }

  private def accepted[T](body: => T): Option[T] =
    try Some(body)
    catch { case e: VariantShreddedException if e.condition == "MALFORMED_VARIANT" => None }

  private def refused(what: String)(body: => Any): Unit =
    expect(accepted(body).isEmpty, s"$what accepts what the validator refuses")

  private def same(what: String, found: VariantTree, expected: VariantTree): Unit =
    expect(VariantTree.sameAs(found, expected), s"$what gives $found, not $expected")

  private def expect(condition: Boolean, otherwise: => String): Unit =
    if (!condition) throw new AssertionError(otherwise)

  override lazy val seeds: Seq[Array[Byte]] = {
    val rng = new Random(18)
    val scalars = Vector[VariantTree](
      Null,
      Bool(true),
      Int8(-1),
      Int16(300),
      Int32(70000),
      Int64(1L << 40),
      Flt(1.5f),
      Dbl(-0.0),
      Decimal4(12345, 2),
      Decimal8(-1234567890123L, 10),
      Decimal16(java.math.BigInteger.TEN.pow(30), 10),
      Date(-1),
      Time(5),
      TimestampMicros(1),
      TimestampNtzMicros(-1),
      TimestampNanos(1),
      TimestampNtzNanos(2),
      Binary(Vector(0, -1)),
      Str("text"),
      Str("x" * 70),
      Uuid(new java.util.UUID(1, 2))
    )
    val shredding = new RandomShredding(rng)
    val objects = Vector(
      obj("a" -> Int8(1), "b" -> Str("x"), "c" -> Null),
      obj("b" -> obj("c" -> arr(Str("x"), Int8(2)), "d" -> Date(1)), "a" -> obj("a" -> Int32(1))),
      arr(arr(Int8(1), Int16(2)), obj(), arr()),
      obj("a" -> TimestampMicros(1), "\u00e4" -> Decimal4(1, 0), "\ud83d\ude00" -> Flt(1f))
    )
    val trees = scalars ++ objects ++ objects.map(shredding.vary(_, scalars)) :+ arr(scalars: _*)
    trees.zipWithIndex.map { case (tree, i) => input(i, VariantTree.encode(tree, rng.nextLong())) }
  }

  private def input(choice: Int, variant: (Array[Byte], Array[Byte])): Array[Byte] =
    Array((choice * 37).toByte, variant._1.length.toByte) ++ variant._1 ++ variant._2
}
