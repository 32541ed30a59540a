package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.ShreddingGenerators._
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.testing.Golden
import org.apache.parquet.schema.{MessageType, MessageTypeParser, Type}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SpecLayoutWriterSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private val samples = Seq(
    "variant",
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(1,0)",
    "decimal(9,2)",
    "decimal(10,2)",
    "decimal(18,18)",
    "decimal(19,0)",
    "decimal(38,10)",
    "date",
    "time",
    "timestamp",
    "timestamp_ns",
    "timestamp_ntz",
    "timestamp_ntz_ns",
    "binary",
    "string",
    "uuid",
    "array<string>",
    "array<variant>",
    "array<array<int>>",
    "event_type string, event_ts timestamp",
    "event_type string, event_ts timestamp, location struct<latitude double, longitude double>, " +
      "tags array<string>",
    "items array<struct<id bigint, price decimal(9,2), rest variant>>",
    "`a.b` int, `` string, `value` int, `typed_value` int"
  )

  private def group(ddl: String): Type =
    SpecLayoutWriter.group("v", ShreddingText.parse(ddl), Type.Repetition.OPTIONAL)

  test("the physical schemas are those of the golden file") {
    val drawn = samples.map { ddl =>
      val text = new java.lang.StringBuilder
      group(ddl).writeToStringBuilder(text, "")
      s"-- $ddl\n$text\n"
    }
    Golden.check("spec-layout.txt", drawn.mkString("\n"))
  }

  test("the spec's own drawings") {
    // From the sections "Value Shredding", "Arrays" and "Objects", names apart.
    def drawn(text: String) = MessageTypeParser.parseMessageType(s"message m { $text }").getType(0)
    assert(group("bigint") === drawn("""optional group v (VARIANT(1)) {
        |  required binary metadata; optional binary value; optional int64 typed_value;
        |}""".stripMargin))
    assert(group("array<string>") === drawn("""optional group v (VARIANT(1)) {
        |  required binary metadata;
        |  optional binary value;
        |  optional group typed_value (LIST) {
        |    repeated group list {
        |      required group element {
        |        optional binary value;
        |        optional binary typed_value (STRING);
        |      }
        |    }
        |  }
        |}""".stripMargin))
    assert(
      group("event_type string, event_ts timestamp") === drawn("""optional group v (VARIANT(1)) {
          |  required binary metadata;
          |  optional binary value;
          |  optional group typed_value {
          |    required group event_type {
          |      optional binary value;
          |      optional binary typed_value (STRING);
          |    }
          |    required group event_ts {
          |      optional binary value;
          |      optional int64 typed_value (TIMESTAMP(MICROS,true));
          |    }
          |  }
          |}""".stripMargin)
    )
  }

  test("the reader finds the schema that was drawn") {
    forAll(genSchema(4, 4)) { schema =>
      val drawn = SpecLayoutWriter.group("v", schema, Type.Repetition.OPTIONAL)
      val message = new MessageType("m", drawn)
      val read = SpecLayoutReader.read(message, Seq("v"), maxDepth = 16)
      assert(schemaOf(read.root) === schema)
      assert(read.leaves.length === 2 + SpecLayoutWriter.leafCount(schema))
    }
  }

  private def schemaOf(position: VariantPosition): ShreddingSchema = position.typedValue match {
    case Some(several: TypedValue.OneOf)             => fail(s"not of the spec: $several")
    case None                                        => Unshredded
    case Some(TypedValue.Primitive(_, shreddedType)) => Primitive(shreddedType)
    case Some(list: TypedValue.ListGroup)            => ArrayOf(schemaOf(list.element))
    case Some(fields: TypedValue.ObjectGroup)        =>
      ObjectOf(fields.names.zip(fields.fields.map(schemaOf)))
  }
}
