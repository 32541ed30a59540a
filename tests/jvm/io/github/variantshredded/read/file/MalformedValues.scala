package io.github.variantshredded.read.file

import io.github.variantshredded.read.file.MalformedFile._
import io.github.variantshredded.read.file.ParquetFixture.{bytes, Row}
import io.github.variantshredded.testing.{VariantTreeDecoder, VariantTreeEncoder}
import io.github.variantshredded.testing.VariantTree._

/** Values in `value` and `typed_value` that the shredding spec forbids, one at a time. */
object MalformedValues {
  import Permissive.{Reads, Refused}

  private val one = value(Int32(1))

  val field: String = "optional group typed_value { required group a { optional binary value; " +
    "optional binary typed_value (STRING); } }"

  val list: String = "optional group typed_value (LIST) { repeated group list { " +
    "required group element { optional binary value; optional int64 typed_value; } } }"

  def elements(cells: Row*): Row = Map("list" -> cells.map(c => Map("element" -> c)))

  /** Both columns set, and columns of the wrong kind of value ("Value Shredding"). */
  private val conflicts: Seq[MalformedFile] = Seq(
    invalid(
      "value and typed_value of a primitive",
      "$",
      "Both 'value' and 'typed_value' (a primitive) are non-null.",
      Reads(Some(Int64(7)))
    )(
      rows(
        "optional binary value; optional int64 typed_value;",
        Map("value" -> one, "typed_value" -> 7L)
      )
    ),
    invalid(
      "value and typed_value of a field",
      "$.a",
      "Both 'value' and 'typed_value' (a primitive) are non-null.",
      Reads(Some(obj("a" -> Str("x"))))
    )(
      rows(
        field,
        Map(
          "metadata" -> metadata("a"),
          "typed_value" -> Map("a" -> Map("value" -> one, "typed_value" -> "x"))
        )
      )
    ),
    invalid(
      "value and typed_value of an element",
      "$[2]",
      "Both 'value' and 'typed_value' (a primitive) are non-null.",
      Reads(Some(arr(Int64(1), Null, Int64(3))))
    )(
      rows(
        list,
        Map(
          "typed_value" -> elements(
            Map("typed_value" -> 1L),
            Map("value" -> bytes("00")),
            Map("value" -> one, "typed_value" -> 3L)
          )
        )
      )
    ),
    invalid(
      "value and typed_value of an array",
      "$",
      "Both 'value' and 'typed_value' (an array) are non-null.",
      Reads(Some(arr(Int64(1))))
    )(
      rows(
        "optional binary value; " + list,
        Map("value" -> one, "typed_value" -> elements(Map("typed_value" -> 1L)))
      )
    ),
    invalid(
      "an array in value where arrays are shredded",
      "$",
      "'value' holds an array, but 'typed_value' (an array) is null.",
      Reads(Some(arr(Int32(1))))
    )(rows("optional binary value; " + list, Map("value" -> value(arr(Int32(1)))))),
    invalid(
      "a value beside an object that is no object",
      "$",
      "'value' is not an object, but 'typed_value' (an object) is non-null.",
      Reads(Some(obj("a" -> Str("x"))))
    )(
      rows(
        "optional binary value; " + field,
        Map(
          "metadata" -> metadata("a"),
          "value" -> one,
          "typed_value" -> Map("a" -> Map("typed_value" -> "x"))
        )
      )
    ),
    invalid(
      "an object in value, typed_value null",
      "$",
      "'value' holds an object, but 'typed_value' (an object) is null.",
      Reads(Some(obj("a" -> Str("x"))))
    )(rows("optional binary value; " + field, unshredded(obj("a" -> Str("x"))))),
    invalid(
      "an empty object in value, typed_value null",
      "$",
      "'value' holds an object, but 'typed_value' (an object) is null.",
      Reads(Some(obj()))
    )(rows("optional binary value; " + field, Map("value" -> bytes("02 00 00")))),
    invalid(
      "a shredded field in value",
      "$",
      "'value' holds the field 'a', which is shredded.",
      Reads(Some(obj("a" -> Str("x"), "b" -> Int8(2))))
    )(
      rows(
        "optional binary value; " + field,
        unshredded(obj("a" -> Int8(1), "b" -> Int8(2))) +
          ("typed_value" -> Map("a" -> Map("typed_value" -> "x")))
      )
    ),
    invalid(
      "a shredded field in value, missing in typed_value",
      "$",
      "'value' holds the field 'a', which is shredded.",
      Reads(Some(obj("b" -> Int8(2))))
    )(
      rows(
        "optional binary value; " + field,
        unshredded(obj("a" -> Int8(1), "b" -> Int8(2))) + ("typed_value" -> Map("a" -> Map()))
      )
    ),
    invalid(
      "a shredded field in value, by the second of two equal names",
      "$",
      "'value' holds the field 'a', which is shredded.",
      Reads(Some(obj("a" -> Str("x"))))
    )(
      rows(
        "optional binary value; " + field,
        Map(
          "metadata" -> metadata("a", "a"),
          "value" -> bytes("02 01 01 00 02 0C 01"),
          "typed_value" -> Map("a" -> Map("typed_value" -> "x"))
        )
      )
    ),
    invalid(
      "a shredded field whose name the dictionary lacks",
      "$.a",
      "A shredded field has a value, but its name is not in the metadata of the row.",
      Refused
    )(
      rows(
        field,
        Map(
          "metadata" -> metadata("b"),
          "typed_value" -> Map("a" -> Map("typed_value" -> "x"))
        )
      )
    ),
    invalid(
      "an element whose group is null",
      "$[1]",
      "An element of an array is null, not a group.",
      Reads(Some(arr(Int64(1), Null)))
    )(
      rows(
        list.replace("required group element", "optional group element"),
        Map(
          "typed_value" -> Map(
            "list" -> Seq(Map("element" -> Map("typed_value" -> 1L)), Map())
          )
        )
      )
    )
  )

  /** A Variant group whose metadata may be null. */
  private def optionalMetadata(rule: String, repetition: String, row: Row): MalformedFile =
    MalformedFile(
      rule,
      Malformed,
      Refused,
      Some("'metadata' is null where the Variant is not."),
      Some("column=v, path=$")
    )(
      ParquetFixture.write(
        _,
        s"message m { $repetition group v (VARIANT(1)) { optional binary metadata; " +
          "optional binary value; optional int64 typed_value; } }",
        Seq(Map("v" -> row))
      )
    )

  private val nullMetadata: Seq[MalformedFile] = Seq(
    optionalMetadata("null metadata beside a value", "optional", Map("value" -> one)),
    optionalMetadata("null metadata beside a typed_value", "optional", Map("typed_value" -> 1L)),
    optionalMetadata("a Variant of nothing but nulls", "optional", Map()),
    optionalMetadata("a required Variant of nothing but nulls", "required", Map())
  )

  /** Where in a deep value an error is. */
  private val deepPaths: Seq[MalformedFile] = {
    val items = "optional group typed_value { required group items { optional binary value; " +
      "optional group typed_value (LIST) { repeated group list { required group element { " +
      "optional binary value; optional group typed_value { required group price { " +
      "optional binary value; optional int32 typed_value (DECIMAL(9,2)); } } } } } } }"
    val names = metadata("items", "price", "deep")
    def price(cell: Row): Row = Map("typed_value" -> Map("price" -> cell))
    def variant(last: Row): Row = Map(
      "metadata" -> names,
      "typed_value" -> Map(
        "items" -> Map("typed_value" -> elements(price(Map("typed_value" -> 5)), price(last)))
      )
    )
    val residual = VariantTreeEncoder.value(obj("deep" -> arr(Int8(1), Int8(2))), namesOf(names), 1)
    Seq(
      invalid(
        "a number out of range in a field of an element of a field",
        "$.items[1].price",
        "'typed_value' holds -1000000000, which is out of the range of decimal4.",
        Refused
      )(rows(items, variant(Map("typed_value" -> -1000000000)))),
      MalformedFile(
        "a malformed value in a field of an element of a field",
        Malformed,
        Refused,
        None,
        Some(
          "column=v.typed_value.items.typed_value.list.element.typed_value.price.value, " +
            "path=$.items[1].price.deep[1]"
        )
      )(rows(items, variant(Map("value" -> withLastType(residual, 63)))))
    )
  }

  private def namesOf(metadata: Array[Byte]) =
    VariantTreeDecoder.names(metadata)

  /** Makes the last int8 of a value a primitive of type `id`. */
  private def withLastType(value: Array[Byte], id: Int): Array[Byte] = {
    val at = value.lastIndexOfSlice(Seq[Byte](3 << 2, 2))
    value.updated(at, (id << 2).toByte)
  }

  val all: Seq[MalformedFile] = conflicts ++ nullMetadata ++ deepPaths
}
