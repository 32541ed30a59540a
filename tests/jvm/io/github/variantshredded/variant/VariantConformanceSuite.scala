package io.github.variantshredded.variant

import java.nio.file.Files
import java.time.{Instant, LocalDate, LocalDateTime, LocalTime, OffsetDateTime, ZoneOffset}
import java.time.temporal.ChronoUnit
import java.util.Base64

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.json.JsonReadFeature
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.json.JsonMapper
import io.github.variantshredded.testing.{SharedFiles, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.scalatest.funsuite.AnyFunSuite

/** The public examples of the Variant encoding: one test a case. */
class VariantConformanceSuite extends AnyFunSuite {

  private val folder = "conformance/variant"

  private val cases = Seq(
    "array_empty",
    "array_nested",
    "array_primitive",
    "long_string",
    "object_empty",
    "object_nested",
    "object_primitive",
    "primitive_binary",
    "primitive_boolean_false",
    "primitive_boolean_true",
    "primitive_date",
    "primitive_decimal16",
    "primitive_decimal4",
    "primitive_decimal8",
    "primitive_double",
    "primitive_float",
    "primitive_int16",
    "primitive_int32",
    "primitive_int64",
    "primitive_int8",
    "primitive_null",
    "primitive_string",
    "primitive_time",
    "primitive_timestamp",
    "primitive_timestamp_nanos",
    "primitive_timestampntz",
    "primitive_timestampntz_nanos",
    "primitive_uuid",
    "short_string"
  )

  private lazy val expected: JsonNode = JsonMapper
    .builder()
    .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
    .build()
    .readTree(SharedFiles.path(s"$folder/data_dictionary.json").toFile)

  for (name <- cases) test(name) {
    assume(SharedFiles.has(s"$folder/$name.value"))
    val metadata = Files.readAllBytes(SharedFiles.path(s"$folder/$name.metadata"))
    val value = Files.readAllBytes(SharedFiles.path(s"$folder/$name.value"))
    val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length)
    new VariantValidator().check(value, 0, value.length, dictionary)
    val tree = ProductCodec.decode(metadata, value)
    assert(sameAs(tree, VariantTree.decode(metadata, value)))
    if (name.startsWith("primitive_")) assert(typeName(tree) == name.stripPrefix("primitive_"))
    // long_string has no entry of its own.
    if (expected.has(name))
      assert(means(tree, expected.get(name)), s"$tree is not ${expected.get(name)}")
    else assert(name == "long_string" && tree.isInstanceOf[Str])
    val (ourMetadata, ourValue) = ProductCodec.encode(tree)
    assert(sameAs(VariantTree.decode(ourMetadata, ourValue), tree))
  }

  test("no case of the folder is left out") {
    assume(SharedFiles.has(folder))
    val files = Files.list(SharedFiles.path(folder))
    try {
      val found = files.iterator.asScala.map(_.getFileName.toString).filter(_.endsWith(".value"))
      assert(found.map(_.stripSuffix(".value")).toSet == cases.toSet)
    } finally files.close()
  }

  private def typeName(tree: VariantTree): String = tree match {
    case Null                  => "null"
    case Bool(value)           => s"boolean_$value"
    case Int8(_)               => "int8"
    case Int16(_)              => "int16"
    case Int32(_)              => "int32"
    case Int64(_)              => "int64"
    case Flt(_)                => "float"
    case Dbl(_)                => "double"
    case Decimal4(_, _)        => "decimal4"
    case Decimal8(_, _)        => "decimal8"
    case Decimal16(_, _)       => "decimal16"
    case Date(_)               => "date"
    case Time(_)               => "time"
    case TimestampMicros(_)    => "timestamp"
    case TimestampNtzMicros(_) => "timestampntz"
    case TimestampNanos(_)     => "timestamp_nanos"
    case TimestampNtzNanos(_)  => "timestampntz_nanos"
    case Binary(_)             => "binary"
    case Str(_)                => "string"
    case Uuid(_)               => "uuid"
    case Arr(_)                => "array"
    case Obj(_)                => "object"
  }

  private def means(tree: VariantTree, json: JsonNode): Boolean = tree match {
    case Null                       => json.isNull
    case Bool(value)                => json.isBoolean && json.booleanValue == value
    case Int8(value)                => isInteger(json, value.toLong)
    case Int16(value)               => isInteger(json, value.toLong)
    case Int32(value)               => isInteger(json, value.toLong)
    case Int64(value)               => isInteger(json, value)
    case Flt(value)                 => json.isNumber && json.floatValue == value
    case Dbl(value)                 => json.isNumber && json.doubleValue == value
    case Decimal4(unscaled, scale)  => isDecimal(json, new java.math.BigDecimal(unscaled), scale)
    case Decimal8(unscaled, scale)  => isDecimal(json, new java.math.BigDecimal(unscaled), scale)
    case Decimal16(unscaled, scale) => isDecimal(json, new java.math.BigDecimal(unscaled), scale)
    case Str(value)                 => json.textValue == value
    case Binary(bytes)              => Base64.getDecoder.decode(json.textValue).toVector == bytes
    case Uuid(value)                => json.textValue == value.toString
    case Date(days)                 => LocalDate.parse(json.textValue).toEpochDay == days
    case Time(micros)               =>
      // The dictionary writes a colon before the fraction.
      val text = json.textValue.patch(json.textValue.lastIndexOf(':'), ".", 1)
      LocalTime.parse(text).toNanoOfDay == micros * 1000
    case TimestampMicros(micros)    => epoch(moment(json), ChronoUnit.MICROS) == micros
    case TimestampNanos(nanos)      => epoch(moment(json), ChronoUnit.NANOS) == nanos
    case TimestampNtzMicros(micros) => epoch(localMoment(json), ChronoUnit.MICROS) == micros
    case TimestampNtzNanos(nanos)   => epoch(localMoment(json), ChronoUnit.NANOS) == nanos
    case Arr(elements)              =>
      json.isArray && json.size == elements.size &&
      elements.zipWithIndex.forall { case (element, i) => means(element, json.get(i)) }
    case Obj(fields) =>
      json.isObject && json.size == fields.size &&
      fields.forall { case (name, child) => json.has(name) && means(child, json.get(name)) }
  }

  private def isInteger(json: JsonNode, value: Long): Boolean =
    json.isIntegralNumber && json.longValue == value

  // The dictionary has decimals as JSON numbers, which carry a double's precision.
  private def isDecimal(json: JsonNode, unscaled: java.math.BigDecimal, scale: Int): Boolean =
    json.isNumber && unscaled.movePointLeft(scale).doubleValue == json.doubleValue

  private def moment(json: JsonNode): Instant =
    OffsetDateTime.parse(json.textValue.replace(' ', 'T')).toInstant

  private def localMoment(json: JsonNode): Instant =
    LocalDateTime.parse(json.textValue.replace(' ', 'T')).toInstant(ZoneOffset.UTC)

  private def epoch(instant: Instant, unit: ChronoUnit): Long = unit.between(Instant.EPOCH, instant)
}
