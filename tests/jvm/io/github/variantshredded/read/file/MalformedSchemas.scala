package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.read.file.MalformedFile._
import io.github.variantshredded.read.file.ParquetFixture.{bytes, Row}

/** Variant groups that are none by the shredding spec. */
object MalformedSchemas {

  private val empty: Row = Map("metadata" -> emptyMetadata)

  private def message(text: String, row: Row): Path => Unit =
    ParquetFixture.write(_, text, Seq(Map("v" -> row)))

  /** A group of other columns than the spec's. */
  private val groups: Seq[MalformedFile] = Seq(
    invalidSchema(
      "metadata is missing",
      "$",
      "A Variant group must have a binary column 'metadata', which is missing."
    )(message("message m { optional group v { optional binary value; } }", Map())),
    invalidSchema(
      "metadata is a number",
      "$",
      "'metadata' must be a binary column, found 'required int32 metadata'."
    )(
      message(
        "message m { optional group v (VARIANT(1)) { required int32 metadata; optional binary value; } }",
        Map("metadata" -> 1)
      )
    ),
    invalidSchema(
      "metadata is a string",
      "$",
      "'metadata' must be a binary column without annotation, found " +
        "'required binary metadata (STRING)'."
    )(
      message(
        "message m { optional group v { required binary metadata (STRING); optional binary value; } }",
        empty
      )
    ),
    invalidSchema(
      "metadata is repeated",
      "$",
      "'metadata' must be a binary column, found 'repeated binary metadata'."
    )(
      message(
        "message m { optional group v { repeated binary metadata; optional binary value; } }",
        empty
      )
    ),
    invalidSchema(
      "value is a number",
      "$",
      "'value' must be a binary column, found 'optional int64 value'."
    )(rows("optional int64 value;", Map("value" -> 1L))),
    invalidSchema(
      "value is a string",
      "$",
      "'value' must be a binary column without annotation, found 'optional binary value (STRING)'."
    )(rows("optional binary value (STRING);", Map("value" -> "a"))),
    invalidSchema(
      "value is repeated",
      "$",
      "'value' must be a binary column, found 'repeated binary value'."
    )(rows("repeated binary value;", Map("value" -> bytes("00")))),
    MalformedFile("value is a group", Schema, Permissive.Refused)(
      rows("optional group value { optional binary value; }", Map())
    ),
    invalidSchema(
      "neither value nor typed_value",
      "$",
      "At least one of the columns 'value' and 'typed_value' must be present."
    )(rows("", Map())),
    invalidSchema(
      "neither value nor typed_value in a field",
      "$.a",
      "At least one of the columns 'value' and 'typed_value' must be present."
    )(rows("optional group typed_value { required group a { optional int32 _x; } }", Map())),
    invalidSchema(
      "neither value nor typed_value in an element",
      "$[*]",
      "At least one of the columns 'value' and 'typed_value' must be present."
    )(rows(listOf("required group element { optional int32 _x; }"), Map())),
    invalidSchema(
      "an unknown column",
      "$",
      "Unknown column 'other' beside 'value' and 'typed_value': only names that begin with '_' " +
        "are reserved for extensions."
    )(rows("optional binary value; optional int32 other;", Map("value" -> bytes("00")))),
    invalidSchema(
      "an unknown column in a field, though its name is one at the top",
      "$.a",
      "Unknown column 'metadata' beside 'value' and 'typed_value': only names that begin with " +
        "'_' are reserved for extensions."
    )(
      rows(
        "optional group typed_value { required group a { optional binary value; optional binary metadata; } }",
        Map()
      )
    ),
    invalidSchema(
      "an unknown column in an element",
      "$[*]",
      "Unknown column 'x' beside 'value' and 'typed_value': only names that begin with '_' are " +
        "reserved for extensions."
    )(rows(listOf("required group element { optional binary value; optional int32 x; }"), Map())),
    MalformedFile("the Variant is no group", Schema, Permissive.Refused)(
      ParquetFixture.write(_, "message m { optional binary v; }", Seq(Map("v" -> bytes("00"))))
    )
  )

  private def listOf(element: String): String =
    s"optional group typed_value (LIST) { repeated group list { $element } }"

  /** Physical types that are no shredded types, with a value of the physical type. */
  private val leaves: Seq[MalformedFile] = Seq(
    "int32 typed_value (INTEGER(8,false))" -> 1,
    "int32 typed_value (INTEGER(16,false))" -> 1,
    "int32 typed_value (INTEGER(32,false))" -> 1,
    "int64 typed_value (INTEGER(64,false))" -> 1L,
    "int64 typed_value (TIMESTAMP(MILLIS,true))" -> 1L,
    "int64 typed_value (TIMESTAMP(MILLIS,false))" -> 1L,
    "int32 typed_value (TIME(MILLIS,false))" -> 1,
    "int64 typed_value (TIME(MICROS,true))" -> 1L,
    "int64 typed_value (TIME(NANOS,false))" -> 1L,
    "int96 typed_value" -> new Array[Byte](12),
    "binary typed_value (ENUM)" -> "a",
    "binary typed_value (JSON)" -> "{}",
    "binary typed_value (BSON)" -> bytes("05 00 00 00 00"),
    "fixed_len_byte_array(4) typed_value" -> bytes("01 02 03 04"),
    "fixed_len_byte_array(16) typed_value" -> new Array[Byte](16),
    "fixed_len_byte_array(2) typed_value (FLOAT16)" -> bytes("00 00"),
    "fixed_len_byte_array(12) typed_value (INTERVAL)" -> new Array[Byte](12)
  ).flatMap { case (leaf, one) =>
    val printed = s"optional $leaf"
    def reason = s"Unsupported shredded value type: '$printed' is not one of the shredded value " +
      "types of the spec."
    Seq(
      invalidSchema(s"a typed_value of $leaf", "$", reason)(
        rows(s"optional binary value; optional $leaf;", Map("typed_value" -> one))
      ),
      invalidSchema(s"a field of $leaf that no row has", "$.a", reason)(
        rows(
          s"optional group typed_value { required group a { optional binary value; optional $leaf; } }",
          Map("typed_value" -> Map("a" -> Map()))
        )
      )
    )
  }

  /** Groups in a `typed_value` that are no object and no array. */
  private val containers: Seq[MalformedFile] = {
    def list(rule: String, what: String, typedValue: String) =
      invalidSchema(
        rule,
        "$",
        s"A shredded array must be a three-level list of a group 'element': $what"
      )(rows(s"optional binary value; $typedValue", Map("value" -> bytes("00"))))
    val element = "required group element { optional binary value; }"
    Seq(
      invalidSchema(
        "typed_value is repeated",
        "$",
        "'typed_value' must be optional, found repeated."
      )(
        rows("optional binary value; repeated int64 typed_value;", Map("typed_value" -> Seq(1L)))
      ),
      invalidSchema(
        "an object is repeated",
        "$",
        "'typed_value' must be optional, found repeated."
      )(
        rows("repeated group typed_value { required group a { optional binary value; } }", Map())
      ),
      list(
        "a LIST of two fields",
        "the LIST group has 2 fields.",
        s"optional group typed_value (LIST) { repeated group list { $element } optional int32 x; }"
      ),
      list(
        "a LIST of two levels with a primitive",
        "'list' is not a repeated group.",
        "optional group typed_value (LIST) { repeated binary list; }"
      ),
      list(
        "a LIST of two levels with a group",
        "'element' does not hold one group.",
        "optional group typed_value (LIST) { repeated group element { optional binary value; " +
          "optional int32 typed_value; } }"
      ),
      list(
        "a LIST of two levels with one column",
        "'element' does not hold one group.",
        "optional group typed_value (LIST) { repeated group element { optional int32 typed_value; } }"
      ),
      list(
        "a LIST without repetition",
        "'list' is not a repeated group.",
        s"optional group typed_value (LIST) { optional group list { $element } }"
      ),
      list(
        "an element that is a primitive",
        "'list' does not hold one group.",
        "optional group typed_value (LIST) { repeated group list { optional binary element; } }"
      ),
      list(
        "an element that is repeated",
        "'element' is repeated.",
        "optional group typed_value (LIST) { repeated group list { repeated group element { " +
          "optional binary value; } } }"
      ),
      invalidSchema(
        "a MAP as typed_value",
        "$",
        "A group 'typed_value' must be a LIST or have no annotation, found MAP."
      )(
        rows(
          "optional group typed_value (MAP) { repeated group key_value { " +
            "required binary key (STRING); optional int32 value; } }",
          Map()
        )
      ),
      invalidSchema(
        "a field that is a primitive",
        "$.a",
        "The shredded field 'a' must be a group, found 'optional int32 a'."
      )(rows("optional group typed_value { optional int32 a; }", Map())),
      invalidSchema(
        "a field that is a LIST",
        "$.a",
        "The group of the shredded field 'a' must not be annotated, found LIST."
      )(
        rows(
          "optional group typed_value { optional group a (LIST) { repeated group list { " +
            "optional binary value; } } }",
          Map()
        )
      ),
      invalidSchema(
        "a field that is a Variant of its own",
        "$.a",
        "The group of the shredded field 'a' must not be annotated, found VARIANT(1)."
      )(
        rows(
          "optional group typed_value { required group a (VARIANT(1)) { " +
            "optional binary metadata; optional binary value; } }",
          Map()
        )
      )
    )
  }

  val all: Seq[MalformedFile] = groups ++ leaves ++ containers
}
