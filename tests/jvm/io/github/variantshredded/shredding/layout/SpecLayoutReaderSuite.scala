package io.github.variantshredded.shredding.layout

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.TypedValue._
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.scalatest.funsuite.AnyFunSuite

class SpecLayoutReaderSuite extends AnyFunSuite {

  private def schema(columns: String): MessageType =
    MessageTypeParser.parseMessageType(s"message m { $columns }")

  private def group(columns: String, path: String*): VariantGroup =
    SpecLayoutReader.read(schema(columns), path, 512)

  private def variant(columns: String): VariantGroup =
    group(s"optional group v (VARIANT(1)) { required binary metadata; $columns }", "v")

  // "Shredded Value Types", and what Parquet and other writers allow beside it.
  private val types = Seq(
    "boolean" -> ShreddedType.BooleanType,
    "int32 : INTEGER(8,true)" -> ShreddedType.Int8,
    "int32 : INTEGER(16,true)" -> ShreddedType.Int16,
    "int32" -> ShreddedType.Int32,
    "int32 : INTEGER(32,true)" -> ShreddedType.Int32,
    "int64" -> ShreddedType.Int64,
    "int64 : INTEGER(64,true)" -> ShreddedType.Int64,
    "float" -> ShreddedType.FloatType,
    "double" -> ShreddedType.DoubleType,
    "int32 : DECIMAL(9,2)" -> ShreddedType.DecimalOf(9, 2),
    "int64 : DECIMAL(18,0)" -> ShreddedType.DecimalOf(18, 0),
    "fixed_len_byte_array(16) : DECIMAL(38,38)" -> ShreddedType.DecimalOf(38, 38),
    "fixed_len_byte_array(3) : DECIMAL(5,1)" -> ShreddedType.DecimalOf(5, 1),
    "binary : DECIMAL(20,5)" -> ShreddedType.DecimalOf(20, 5),
    "int32 : DATE" -> ShreddedType.Date,
    "int64 : TIME(MICROS,false)" -> ShreddedType.Time,
    "int64 : TIMESTAMP(MICROS,true)" -> ShreddedType.TimestampMicros,
    "int64 : TIMESTAMP(NANOS,true)" -> ShreddedType.TimestampNanos,
    "int64 : TIMESTAMP(MICROS,false)" -> ShreddedType.TimestampNtzMicros,
    "int64 : TIMESTAMP(NANOS,false)" -> ShreddedType.TimestampNtzNanos,
    "binary" -> ShreddedType.Binary,
    "binary : STRING" -> ShreddedType.StringType,
    "fixed_len_byte_array(16) : UUID" -> ShreddedType.Uuid
  )

  types.foreach { case (column, expected) =>
    test(s"$column is a ${expected.toString}") {
      val parts = column.split(" : ")
      val typed = s"optional ${parts(0)} typed_value ${parts.drop(1).map(a => s"($a)").mkString};"
      assert(
        variant(typed).root.typedValue.collect { case Primitive(_, found) => found } ===
          Some(expected)
      )
    }
  }

  test("levels and leaves of objects and arrays") {
    val found = variant(
      "optional binary value; optional group typed_value { " +
        "required group id { optional binary value; optional int64 typed_value; } " +
        "required group tags { optional binary value; optional group typed_value (LIST) { " +
        "repeated group list { required group element { optional binary value; " +
        "optional binary typed_value (STRING); } } } } }"
    )
    assert(found.levels === Levels(0, 1))
    assert(!found.required)
    assert(
      found.leaves.map(leaf => (leaf.path, leaf.maxRepetition, leaf.maxDefinition)).toSeq ===
        Seq(
          ("v.metadata", 0, 1),
          ("v.value", 0, 2),
          ("v.typed_value.id.value", 0, 3),
          ("v.typed_value.id.typed_value", 0, 3),
          ("v.typed_value.tags.value", 0, 3),
          ("v.typed_value.tags.typed_value.list.element.value", 1, 5),
          ("v.typed_value.tags.typed_value.list.element.typed_value", 1, 5)
        )
    )
    assert(found.leaves.map(_.index).toSeq === found.leaves.indices)
    val ObjectGroup(_, levels, required, names, fields, ordinal) = found.root.typedValue.get match {
      case group: ObjectGroup => group
      case other              => fail(other.toString)
    }
    assert((levels, required, names, ordinal) === ((Levels(0, 2), false, Vector("id", "tags"), 0)))
    assert(fields.map(_.path) === Vector("$.id", "$.tags"))
    fields(1).typedValue match {
      case Some(ListGroup(_, listLevels, listRequired, element)) =>
        assert((listLevels, listRequired) === ((Levels(0, 3), false)))
        assert(
          (element.path, element.levels, element.required) === (("$.tags[*]", Levels(1, 4), true))
        )
      case other => fail(other.toString)
    }
  }

  test("ordinals number the fields of all objects") {
    val found = variant(
      "optional group typed_value { " +
        "required group a { optional group typed_value { " +
        "required group x { optional binary value; } required group y { optional binary value; } } } " +
        "required group b { optional group typed_value { required group z { optional binary value; } } } }"
    )
    val ordinals = Seq.newBuilder[Int]
    def visit(position: VariantPosition): Unit = position.typedValue.foreach {
      case obj: ObjectGroup =>
        obj.names.indices.foreach(i => ordinals += obj.ordinal + i)
        obj.fields.foreach(visit)
      case _ => ()
    }
    visit(found.root)
    assert(ordinals.result().sorted === (0 until 5))
  }

  test("columns in any order, left out, required, or of others") {
    val found = group(
      "required group v { optional int32 typed_value; optional int32 _extra; " +
        "repeated group _more { optional binary x; } required binary metadata; }",
      "v"
    )
    assert(found.required)
    assert(found.root.value === None)
    assert(found.leaves.map(_.path).toSeq === Seq("v.metadata", "v.typed_value"))
    assert(found.metadata.exists(_.required))
    val optional =
      group("optional group v { optional binary value; optional binary metadata; }", "v")
    assert(optional.root.typedValue === None)
    assert(!optional.metadata.exists(_.required))
    assert(optional.metadata.map(_.maxDefinition) === Some(2))
  }

  test("an object's fields may begin with '_'") {
    val found =
      variant("optional group typed_value { required group _a { optional binary value; } }")
    assert(
      found.root.typedValue.collect { case group: ObjectGroup => group.names } ===
        Some(Vector("_a"))
    )
  }

  test("Variants within other columns") {
    val found = group(
      "optional group c (LIST) { repeated group list { optional group element (VARIANT(1)) { " +
        "required binary metadata; required binary value; } } }",
      "c",
      "list",
      "element"
    )
    assert(found.column === "c.list.element")
    assert(found.levels === Levels(1, 3))
    assert(found.root.value.map(leaf => (leaf.maxRepetition, leaf.maxDefinition)) === Some((1, 3)))
  }

  test("names in paths") {
    val found = variant(
      "optional group typed_value { required group a { optional group typed_value { " +
        "required group b-c { optional binary value; } required group 0 { optional binary value; } } } }"
    )
    val names = found.root.typedValue.toSeq.collect { case group: ObjectGroup =>
      group.fields.head.typedValue.collect { case inner: ObjectGroup => inner.fields.map(_.path) }
    }
    assert(names === Seq(Some(Vector("$.a['b-c']", "$.a['0']"))))
  }

  Seq(
    "optional group v { required binary metadata; required binary value; }" -> true,
    "optional group v { optional binary value; optional binary metadata; }" -> true,
    "optional group v { required binary metadata; optional binary value; optional int32 typed_value; }" -> true,
    "optional group v (VARIANT(1)) { required binary metadata; optional int32 typed_value; }" -> true,
    "optional group v { required binary metadata; optional int32 typed_value; }" -> false,
    "optional group v { required binary metadata; optional binary value; optional int32 x; }" -> false,
    "optional group v { required binary metadata; optional binary value (STRING); }" -> false,
    "optional group v { required binary metadata; repeated binary value; }" -> false,
    "optional group v { required binary metadata; optional int32 value; }" -> false,
    "optional group v (LIST) { repeated group list { optional binary value; } }" -> false,
    "optional binary v;" -> false
  ).foreach { case (column, expected) =>
    test(s"${if (expected) "a Variant" else "not a Variant"} by itself: $column") {
      assert(SpecLayoutReader.isVariant(schema(column).getType(0)) === expected)
    }
  }

  test("the depth of shredding is bounded by the option and at 200") {
    def nested(levels: Int): MessageType = {
      val columns = (1 to levels).foldLeft("optional binary value;") { (inner, _) =>
        s"optional group typed_value { required group a { $inner } }"
      }
      schema(s"required group v { required binary metadata; $columns }")
    }
    assert(SpecLayoutReader.read(nested(3), Seq("v"), 3).leaves.length === 2)
    assert(SpecLayoutReader.read(nested(200), Seq("v"), 512).leaves.length === 2)
    def refused(levels: Int, maxDepth: Int): String =
      intercept[VariantShreddedException](
        SpecLayoutReader.read(nested(levels), Seq("v"), maxDepth)
      ).getMessage
    assert(
      refused(
        4,
        3
      ) === "[INVALID_VARIANT_SHREDDING_SCHEMA] Shredded values are nested deeper than 3. " +
        "(column=v, path=$.a.a.a.a)"
    )
    assert(refused(201, 512).contains("nested deeper than 200"))
  }
}
