package io.github.variantshredded.variant

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import io.github.variantshredded.testing.{Clue, VariantTree}
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.variant.{Variant => ParquetVariant}
import org.apache.spark.types.variant.{Variant => SparkVariant, VariantBuilder, VariantUtil}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Four codecs that have no code in common have to agree: ours, the tests', Spark's, parquet-java's. */
class VariantCodecSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 400)

  private def same(actual: VariantTree, expected: VariantTree): Unit = {
    val _ = assert(sameAs(actual, expected), Clue(s"\n  expected $expected\n  found    $actual"))
  }

  test("the tests' decoder gives back what the tests' encoder wrote, in any legal encoding") {
    forAll(genVariantTree(4, 6), org.scalacheck.Arbitrary.arbitrary[Long]) { (tree, seed) =>
      (same _).tupled((VariantTree.decode _).tupled(VariantTree.encode(tree)) -> tree)
      (same _).tupled((VariantTree.decode _).tupled(VariantTree.encode(tree, seed)) -> tree)
    }
  }

  test("we read what the tests' encoder wrote, in any legal encoding") {
    forAll(genVariantTree(4, 6), org.scalacheck.Arbitrary.arbitrary[Long]) { (tree, seed) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      same(ProductCodec.decode(metadata, value), tree)
      assert(VariantReader.valueSize(value, 0, value.length) == value.length)
    }
  }

  test("the tests' decoder and our reader give back what our encoder wrote") {
    forAll(genVariantTree(4, 6)) { tree =>
      val (metadata, value) = ProductCodec.encode(tree)
      same(VariantTree.decode(metadata, value), tree)
      same(ProductCodec.decode(metadata, value), tree)
    }
  }

  test("Spark reads what our encoder wrote") {
    forAll(genSparkTree(4, 6)) { tree =>
      val (metadata, value) = ProductCodec.encode(tree)
      same(fromSpark(new SparkVariant(value, metadata)), tree)
    }
  }

  test("we read what Spark's builder wrote") {
    forAll(genSparkTree(4, 6)) { tree =>
      val builder = new VariantBuilder(false)
      appendToSpark(tree, builder)
      val variant = builder.result()
      val decoded = ProductCodec.decode(variant.getMetadata, variant.getValue)
      assert(sameAs(decoded, tree, exact = false), Clue(s"\n  expected $tree\n  found    $decoded"))
    }
  }

  test("our encoder writes the same bytes as Spark's builder for the types that JSON has") {
    val json = """{"b":[1,2.50,-300,70000,5000000000,null,true],"a":{"c":"x","":false},"z":1e300}"""
    val spark = VariantBuilder.parseJson(json, false)
    val (metadata, value) = ProductCodec.encode(
      obj(
        "b" -> arr(
          Int8(1),
          Decimal4(250, 2),
          Int16(-300),
          Int32(70000),
          Int64(5000000000L),
          Null,
          Bool(true)
        ),
        "a" -> obj("c" -> Str("x"), "" -> Bool(false)),
        "z" -> Dbl(1e300)
      )
    )
    assert(value.toSeq == spark.getValue.toSeq)
    assert(metadata.toSeq == spark.getMetadata.toSeq)
  }

  test("parquet-java reads what our encoder wrote, all types") {
    forAll(genVariantTree(4, 6)) { tree =>
      val (metadata, value) = ProductCodec.encode(tree)
      same(fromParquet(new ParquetVariant(value, metadata)), tree)
    }
  }

  test("wide objects and long values: counts, ids and offsets of more than one byte") {
    val wide = Obj(Vector.tabulate(70000)(i => s"k$i" -> Int32(i)))
    val long = arr(Str("x" * 70000), wide, Arr(Vector.fill(300)(Null)), Binary(Vector.fill(300)(7)))
    val (metadata, value) = ProductCodec.encode(long)
    same(ProductCodec.decode(metadata, value), long)
    same(VariantTree.decode(metadata, value), long)
    same(fromSpark(new SparkVariant(value, metadata)), long)
    new VariantValidator().check(
      value,
      0,
      value.length,
      MetadataDictionary.parse(metadata, 0, metadata.length)
    )
  }

  private def fromSpark(v: SparkVariant): VariantTree = v.getType match {
    case VariantUtil.Type.NULL    => Null
    case VariantUtil.Type.BOOLEAN => Bool(v.getBoolean)
    case VariantUtil.Type.LONG    =>
      v.getTypeInfo match {
        case 3 => Int8(v.getLong.toByte)
        case 4 => Int16(v.getLong.toShort)
        case 5 => Int32(v.getLong.toInt)
        case _ => Int64(v.getLong)
      }
    case VariantUtil.Type.STRING  => Str(v.getString)
    case VariantUtil.Type.DOUBLE  => Dbl(v.getDouble)
    case VariantUtil.Type.FLOAT   => Flt(v.getFloat)
    case VariantUtil.Type.DECIMAL =>
      val decimal = v.getDecimalWithOriginalScale
      v.getTypeInfo match {
        case 8 => Decimal4(decimal.unscaledValue.intValueExact, decimal.scale)
        case 9 => Decimal8(decimal.unscaledValue.longValueExact, decimal.scale)
        case _ => Decimal16(decimal.unscaledValue, decimal.scale)
      }
    case VariantUtil.Type.DATE          => Date(v.getLong.toInt)
    case VariantUtil.Type.TIMESTAMP     => TimestampMicros(v.getLong)
    case VariantUtil.Type.TIMESTAMP_NTZ => TimestampNtzMicros(v.getLong)
    case VariantUtil.Type.BINARY        => Binary(v.getBinary.toVector)
    case VariantUtil.Type.UUID          => Uuid(v.getUuid)
    case VariantUtil.Type.ARRAY         =>
      Arr((0 until v.arraySize).map(i => fromSpark(v.getElementAtIndex(i))).toVector)
    case VariantUtil.Type.OBJECT =>
      Obj((0 until v.objectSize).map { i =>
        val field = v.getFieldAtIndex(i)
        // The look-up by name searches the sorted fields: it has to find the same one.
        assert(v.getFieldByKey(field.key).getType == field.value.getType)
        field.key -> fromSpark(field.value)
      }.toVector)
  }

  private def appendToSpark(tree: VariantTree, builder: VariantBuilder): Unit = tree match {
    case Null                      => builder.appendNull()
    case Bool(value)               => builder.appendBoolean(value)
    case Int8(value)               => builder.appendLong(value.toLong)
    case Int16(value)              => builder.appendLong(value.toLong)
    case Int32(value)              => builder.appendLong(value.toLong)
    case Int64(value)              => builder.appendLong(value)
    case Flt(value)                => builder.appendFloat(value)
    case Dbl(value)                => builder.appendDouble(value)
    case Decimal4(unscaled, scale) =>
      builder.appendDecimal(java.math.BigDecimal.valueOf(unscaled.toLong, scale))
    case Decimal8(unscaled, scale) =>
      builder.appendDecimal(java.math.BigDecimal.valueOf(unscaled, scale))
    case Decimal16(unscaled, scale) =>
      builder.appendDecimal(new java.math.BigDecimal(unscaled, scale))
    case Date(days)                 => builder.appendDate(days)
    case TimestampMicros(micros)    => builder.appendTimestamp(micros)
    case TimestampNtzMicros(micros) => builder.appendTimestampNtz(micros)
    case Binary(bytes)              => builder.appendBinary(bytes.toArray)
    case Str(value)                 => builder.appendString(value)
    case Arr(elements)              =>
      val start = builder.getWritePos
      val offsets = elements.map { child =>
        val offset = Integer.valueOf(builder.getWritePos - start)
        appendToSpark(child, builder)
        offset
      }
      builder.finishWritingArray(start, new java.util.ArrayList(offsets.asJava))
    case Obj(fields) =>
      val start = builder.getWritePos
      val entries = fields.map { case (name, child) =>
        val entry =
          new VariantBuilder.FieldEntry(name, builder.addKey(name), builder.getWritePos - start)
        appendToSpark(child, builder)
        entry
      }
      builder.finishWritingObject(start, new java.util.ArrayList(entries.asJava))
    case other => fail(s"Spark does not know $other")
  }

  private def fromParquet(v: ParquetVariant): VariantTree = {
    import ParquetVariant.{Type => T}
    v.getType match {
      case T.NULL         => Null
      case T.BOOLEAN      => Bool(v.getBoolean)
      case T.BYTE         => Int8(v.getByte)
      case T.SHORT        => Int16(v.getShort)
      case T.INT          => Int32(v.getInt)
      case T.LONG         => Int64(v.getLong)
      case T.FLOAT        => Flt(v.getFloat)
      case T.DOUBLE       => Dbl(v.getDouble)
      case T.DECIMAL4     => Decimal4(v.getDecimal.unscaledValue.intValueExact, v.getDecimal.scale)
      case T.DECIMAL8     => Decimal8(v.getDecimal.unscaledValue.longValueExact, v.getDecimal.scale)
      case T.DECIMAL16    => Decimal16(v.getDecimal.unscaledValue, v.getDecimal.scale)
      case T.DATE         => Date(v.getInt)
      case T.TIME         => Time(v.getLong)
      case T.TIMESTAMP_TZ => TimestampMicros(v.getLong)
      case T.TIMESTAMP_NTZ       => TimestampNtzMicros(v.getLong)
      case T.TIMESTAMP_NANOS_TZ  => TimestampNanos(v.getLong)
      case T.TIMESTAMP_NANOS_NTZ => TimestampNtzNanos(v.getLong)
      case T.BINARY              => Binary(contents(v.getBinary).toVector)
      case T.STRING              => Str(v.getString)
      case T.UUID                => Uuid(v.getUUID)
      case T.ARRAY               =>
        Arr((0 until v.numArrayElements).map(i => fromParquet(v.getElementAtIndex(i))).toVector)
      case T.OBJECT =>
        Obj((0 until v.numObjectElements).map { i =>
          val field = v.getFieldAtIndex(i)
          field.key -> fromParquet(field.value)
        }.toVector)
    }
  }

  private def contents(buffer: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](buffer.remaining)
    val _ = buffer.get(bytes)
    bytes
  }
}
