package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.read.file.MalformedFile._
import io.github.variantshredded.read.file.ParquetFixture.bytes
import io.github.variantshredded.testing.{VariantTree, VariantTreeEncoder}
import io.github.variantshredded.testing.VariantTree._

/** Bytes that are no Variant, in `value` and `metadata`. */
object MalformedBinaries {
  import Permissive.Refused

  /** Small values of all kinds. */
  val small: Seq[VariantTree] = Seq(
    Null,
    Int8(-1),
    Int64(1234567890123L),
    Dbl(0.5),
    Decimal4(-12345, 2),
    Decimal16(new java.math.BigInteger("12345678901234567890123"), 3),
    TimestampMicros(1700000000000000L),
    Binary(Vector(1, 2, 3)),
    Str("short"),
    Str("a string that is too long for the short form: it has more than 63 bytes"),
    Uuid(java.util.UUID.fromString("f24f9b64-81fa-49d1-b74e-8c09a6e31c56")),
    arr(),
    arr(Int8(1), Str("b"), arr(Null, Bool(true))),
    obj(),
    obj("a" -> Int8(1), "b" -> arr(Str("x")), "c" -> obj("a" -> Null, "\u20ac" -> Str("y")))
  )

  private def unshreddedFile(metadata: Array[Byte], value: Array[Byte]): Path => Unit =
    rows("required binary value;", Map("metadata" -> metadata, "value" -> value))

  /** The value is in a shredded field that is stored as binary. */
  private def fieldFile(names: Seq[String], value: Array[Byte]): Path => Unit = rows(
    "optional group typed_value { required group f { optional binary value; " +
      "optional int32 typed_value; } }",
    Map(
      "metadata" -> VariantTreeEncoder.metadata(names.toVector :+ "f", sorted = false, 1),
      "typed_value" -> Map("f" -> Map("value" -> value))
    )
  )

  val truncations: Seq[MalformedFile] = small.flatMap { tree =>
    val (metadata, whole) = VariantTree.encode(tree)
    val names = VariantTreeEncoder.fieldNames(tree).sorted
    whole.indices.flatMap { length =>
      Seq(
        MalformedFile(s"the first $length bytes of $tree", Malformed, Refused)(
          unshreddedFile(metadata, whole.take(length))
        ),
        MalformedFile(s"a field of the first $length bytes of $tree", Malformed, Refused)(
          fieldFile(names, whole.take(length))
        )
      )
    } ++ metadata.indices.map { length =>
      MalformedFile(s"the first $length bytes of the metadata of $tree", Malformed, Refused)(
        unshreddedFile(metadata.take(length), whole)
      )
    }
  }

  private def malformed(
      rule: String,
      reason: String,
      metadata: String,
      value: String,
      permissive: Permissive = Refused
  ) =
    MalformedFile(rule, Malformed, permissive, Some(reason), Some("column=v.value, path=$"))(
      unshreddedFile(bytes(metadata), bytes(value))
    )

  private def malformedMetadata(
      rule: String,
      reason: String,
      metadata: String,
      permissive: Permissive = Refused
  ) =
    MalformedFile(
      rule,
      Malformed,
      permissive,
      Some("Malformed Variant metadata: " + reason),
      Some("column=v")
    )(unshreddedFile(bytes(metadata), bytes("00")))

  private val sizes: Seq[MalformedFile] = {
    val empty = "01 00 00"
    Seq(
      malformed(
        "an object that claims 2^31 - 1 fields",
        "A container claims 2147483647 children; its lists do not fit into 5 bytes.",
        empty,
        "42 FF FF FF 7F"
      ),
      malformed(
        "an object that claims 2^32 - 1 fields",
        "A container claims 4294967295 children; its lists do not fit into 9 bytes.",
        empty,
        "7E FF FF FF FF 00 00 00 00"
      ),
      malformed(
        "an array that claims 2^32 - 1 elements",
        "A container claims 4294967295 children; its lists do not fit into 6 bytes.",
        empty,
        "13 FF FF FF FF 00"
      ),
      malformed(
        "a string that claims 2^32 - 1 bytes",
        "A value takes 4294967300 bytes where 6 are left.",
        empty,
        "40 FF FF FF FF 41"
      ),
      malformed(
        "a binary that claims 2^31 bytes",
        "A value takes 2147483653 bytes where 5 are left.",
        empty,
        "3C 00 00 00 80"
      ),
      malformedMetadata(
        "a dictionary that claims 2^31 names",
        "It claims 2147483648 names; their offsets do not fit into 9 bytes.",
        "C1 00 00 00 80 00 00 00 00"
      ),
      malformedMetadata(
        "a dictionary that claims 2^32 - 1 names",
        "It claims 4294967295 names; their offsets do not fit into 5 bytes.",
        "C1 FF FF FF FF"
      ),
      malformedMetadata(
        "a dictionary that claims 2^31 bytes of names",
        "Offset 1 of its names is 2147483648, beyond their 1 bytes.",
        "C1 01 00 00 00 00 00 00 00 00 00 00 80 61"
      )
    )
  }

  /** Arrays within arrays, `levels` of them around a null. */
  def nestedArrays(levels: Int): Array[Byte] = {
    val out = new Array[Byte](levels * 10 + 1)
    (0 until levels).foreach { i =>
      val at = i * 10
      // One element, offsets of four bytes: the first 0, the last the size of what follows.
      out(at) = 0x0f
      out(at + 1) = 1
      val size = out.length - at - 10
      (0 until 4).foreach(b => out(at + 6 + b) = (size >>> (8 * b)).toByte)
    }
    out
  }

  private val depths: Seq[MalformedFile] = Seq(
    MalformedFile("1001 nested arrays", Malformed, Refused)(
      unshreddedFile(emptyMetadata, nestedArrays(1001))
    ),
    MalformedFile("5,000 nested arrays", Malformed, Refused)(
      unshreddedFile(emptyMetadata, nestedArrays(5000))
    ),
    MalformedFile("1,000,000 nested arrays", Malformed, Refused)(
      unshreddedFile(emptyMetadata, nestedArrays(1000000))
    ),
    MalformedFile("1000 nested arrays in a shredded field", Malformed, Refused)(
      fieldFile(Nil, nestedArrays(1000))
    )
  )

  private val single: Seq[MalformedFile] = {
    val ab = "01 02 00 01 02 61 62"
    Seq(
      malformed(
        "fields that are not in order",
        "Field 1 is not after the field before it by name, or has the same name.",
        ab,
        "02 02 01 00 00 01 02 00 00"
      ),
      malformed(
        "a field that is there twice",
        "Field 1 is not after the field before it by name, or has the same name.",
        ab,
        "02 02 00 00 00 01 02 00 00"
      ),
      malformed(
        "a field twice, by two ids of one name",
        "Field 1 is not after the field before it by name, or has the same name.",
        "01 02 00 01 02 61 61",
        "02 02 00 01 00 01 02 00 00"
      ),
      malformed(
        "a field id beyond the dictionary",
        "The field id 2 is not in the metadata dictionary of 2 names.",
        ab,
        "02 01 02 00 01 00"
      ),
      malformed(
        "bytes after the value",
        "1 bytes follow after the value.",
        ab,
        "00 00",
        Permissive.Reads(Some(Null))
      ),
      malformed(
        "a string that is not UTF-8",
        "The string is not UTF-8 at its byte 1.",
        ab,
        "0D 41 C3 28"
      ),
      malformed("an unknown type", "The primitive type 21 is unknown.", ab, "54"),
      malformed(
        "a scale of 39",
        "A decimal's scale is 39, more than 38.",
        ab,
        "20 27 01 00 00 00"
      ),
      malformed(
        "a decimal4 of 10 digits",
        "The number has more digits than decimal4 can have.",
        ab,
        "20 00 00 CA 9A 3B"
      ),
      malformed(
        "a time of 24 hours",
        "86400000000 microseconds are not a time of day.",
        ab,
        "44 00 60 D7 1D 14 00 00 00"
      ),
      malformedMetadata("metadata of version 2", "Its version is 2, not 1.", "02 00 00"),
      malformedMetadata("metadata without bytes", "It has no bytes.", ""),
      malformedMetadata(
        "metadata whose offsets descend",
        "Offset 2 of its names is 0, less than 1 before it.",
        "01 02 00 01 00 61"
      ),
      malformedMetadata(
        "a name that is not UTF-8",
        "Name 0 is not UTF-8.",
        "01 01 00 01 FF",
        Permissive.Either
      ),
      malformedMetadata(
        "bytes after the last name",
        "It has 1 bytes after its last name.",
        "01 01 00 01 61 62",
        Permissive.Reads(Some(Null))
      ),
      malformedMetadata(
        "names that are flagged as sorted and are not",
        "It is flagged as sorted and unique, but name 1 is not after name 0.",
        "11 02 00 01 02 62 61",
        Permissive.Reads(Some(Null))
      ),
      malformedMetadata(
        "the unused bit of the header",
        "The unused bit 5 of its header is set.",
        "21 00 00",
        Permissive.Reads(Some(Null))
      )
    )
  }

  val rules: Seq[MalformedFile] = sizes ++ depths ++ single
}
