package io.github.variantshredded.read.file

import io.github.variantshredded.read.file.MalformedFile._
import io.github.variantshredded.read.file.ParquetFixture.bytes

/** Values in a `typed_value` that no Variant of the shredded type can have. */
object MalformedLeaves {
  import Permissive.Refused

  private val field = "optional group typed_value { required group a { optional binary value; " +
    "optional binary typed_value (STRING); } }"

  private def outOfRange(
      rule: String,
      leaf: String,
      stored: Any,
      number: String,
      shreddedType: String
  ): MalformedFile = invalid(
    rule,
    "$",
    s"'typed_value' holds $number, which is out of the range of $shreddedType.",
    Refused
  )(rows(s"optional binary value; optional $leaf;", Map("typed_value" -> stored)))

  private val ten38 = java.math.BigInteger.TEN.pow(38)

  /** Values that no Variant of the shredded type can have. */
  val all: Seq[MalformedFile] = {
    val int8 = "int32 typed_value (INTEGER(8,true))"
    val int16 = "int32 typed_value (INTEGER(16,true))"
    val decimal4 = "int32 typed_value (DECIMAL(9,2))"
    val decimal8 = "int64 typed_value (DECIMAL(18,2))"
    val fixed16 = "fixed_len_byte_array(16) typed_value (DECIMAL(38,2))"
    val fixed17 = "fixed_len_byte_array(17) typed_value (DECIMAL(38,2))"
    val binary = "binary typed_value (DECIMAL(38,2))"
    val time = "int64 typed_value (TIME(MICROS,false))"
    Seq(
      outOfRange("an int8 of 300", int8, 300, "300", "int8"),
      outOfRange("an int8 of -129", int8, -129, "-129", "int8"),
      outOfRange("an int16 of 32768", int16, 32768, "32768", "int16"),
      outOfRange("an int16 of -40000", int16, -40000, "-40000", "int16"),
      outOfRange("a decimal4 of 10 digits", decimal4, 1000000000, "1000000000", "decimal4"),
      outOfRange("the least int32 as decimal4", decimal4, Int.MinValue, "-2147483648", "decimal4"),
      outOfRange(
        "a decimal8 of 19 digits",
        decimal8,
        1000000000000000000L,
        "1000000000000000000",
        "decimal8"
      ),
      outOfRange(
        "the least int64 as decimal8",
        decimal8,
        Long.MinValue,
        "-9223372036854775808",
        "decimal8"
      ),
      outOfRange("a decimal16 of 39 digits", fixed16, ten38.toByteArray, "a number", "decimal16"),
      outOfRange(
        "a negative decimal16 of 39 digits",
        fixed16,
        ten38.negate.toByteArray,
        "a number",
        "decimal16"
      ),
      outOfRange(
        "the least number of 16 bytes",
        fixed16,
        bytes("80" + "00" * 15),
        "a number",
        "decimal16"
      ),
      outOfRange(
        "a decimal of 17 significant bytes",
        binary,
        bytes("01" + "00" * 16),
        "a number",
        "decimal16"
      ),
      outOfRange(
        "a decimal of 17 bytes, the first only a sign that is needed",
        binary,
        bytes("00 80" + "00" * 15),
        "a number",
        "decimal16"
      ),
      outOfRange(
        "a fixed decimal of 17 significant bytes",
        fixed17,
        bytes("7F" + "00" * 16),
        "a number",
        "decimal16"
      ),
      invalid("a decimal without bytes", "$", "'typed_value' (a decimal) has no bytes.", Refused)(
        rows(s"optional $binary;", Map("typed_value" -> Array.emptyByteArray))
      ),
      outOfRange("a time before midnight", time, -1L, "-1", "time"),
      outOfRange("a time of 24 hours", time, 86400000000L, "86400000000", "time"),
      invalid(
        "a string that is not UTF-8",
        "$",
        "'typed_value' (a string) is not valid UTF-8.",
        Permissive.Either
      )(
        rows("optional binary typed_value (STRING);", Map("typed_value" -> bytes("41 C3 28")))
      ),
      invalid(
        "a lone surrogate in UTF-8, in a field",
        "$.a",
        "'typed_value' (a string) is not valid UTF-8.",
        Permissive.Either
      )(
        rows(
          field,
          Map(
            "metadata" -> metadata("a"),
            "typed_value" -> Map("a" -> Map("typed_value" -> bytes("ED A0 80")))
          )
        )
      )
    )
  }
}
