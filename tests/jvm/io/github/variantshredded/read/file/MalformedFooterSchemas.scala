package io.github.variantshredded.read.file

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.MalformedFile._
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.schema.{GroupType, MessageType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Type.Repetition.{OPTIONAL, REQUIRED}

/** Schemas that parquet-java does not write, or not without a push. */
object MalformedFooterSchemas {

  private def named(footer: FileMetaData, name: String) =
    footer.getSchema.asScala.filter(_.getName == name).last

  /** A file without Variants whose footer is changed to what parquet-java would not write. */
  private def edited(columns: String)(edit: FileMetaData => Unit): Path => Unit = { path =>
    ParquetFixture.write(path, variant(columns), Nil)
    ParquetFixture.editFooter(path)(edit)
  }

  val all: Seq[MalformedFile] = Seq(
    invalidSchema(
      "a field that is repeated",
      "$['b c']",
      "The group of the shredded field 'b c' must not be repeated."
    )(edited("optional group typed_value { repeated group b { optional binary value; } }") {
      footer => named(footer, "b").setName("b c"): Unit
    }),
    invalidSchema(
      "an object without fields",
      "$",
      "The 'typed_value' of a shredded object has no fields."
    )(edited("optional group typed_value { required group a { optional binary value; } }") {
      footer =>
        val schema = footer.getSchema
        schema.removeIf(e => Set("a", "value")(e.getName))
        schema.get(schema.size - 1).setNum_children(0): Unit
    }),
    invalidSchema("the same field twice", "$.a", "The shredded field 'a' occurs twice.")(
      edited(
        "optional group typed_value { required group a { optional binary value; } " +
          "required group b { optional binary value; } }"
      )(footer => named(footer, "b").setName("a"): Unit)
    ),
    invalidSchema("the same column twice", "$", "The column 'value' occurs twice.")(
      edited("optional binary value; optional binary _value;") { footer =>
        named(footer, "_value").setName("value"): Unit
      }
    ),
    invalidSchema("two columns of metadata", "$", "The column 'metadata' occurs twice.")(
      edited("optional binary value; optional binary _metadata;") { footer =>
        named(footer, "_metadata").setName("metadata"): Unit
      }
    ),
    MalformedFile("an INT32 decimal of 10 digits", Corrupt, Permissive.Refused)(
      edited("optional int32 typed_value (DECIMAL(9,2));")(precision(_, 10))
    ),
    MalformedFile("an INT64 decimal of 19 digits", Corrupt, Permissive.Refused)(
      edited("optional int64 typed_value (DECIMAL(18,2));")(precision(_, 19))
    ),
    MalformedFile("a decimal of 39 digits", Schema, Permissive.Refused)(
      edited("optional binary typed_value (DECIMAL(38,2));")(precision(_, 39))
    ),
    MalformedFile("a decimal of a negative scale", Corrupt, Permissive.Refused)(
      edited("optional binary typed_value (DECIMAL(38,2));") { footer =>
        named(footer, "typed_value").getLogicalType.getDECIMAL.setScale(-1)
        named(footer, "typed_value").setScale(-1): Unit
      }
    ),
    MalformedFile("a decimal without digits", Corrupt, Permissive.Refused)(
      edited("optional binary typed_value (DECIMAL(38,2));")(precision(_, 0))
    ),
    MalformedFile("a uuid of 15 bytes", Corrupt, Permissive.Refused)(
      edited("optional fixed_len_byte_array(16) typed_value (UUID);") { footer =>
        named(footer, "typed_value").setType_length(15): Unit
      }
    ),
    MalformedFile("a fixed column without length", Corrupt, Permissive.Refused)(
      edited("optional fixed_len_byte_array(16) typed_value (DECIMAL(38,0));") { footer =>
        named(footer, "typed_value").setType_length(0): Unit
      }
    ),
    MalformedFile("more children than the schema has", Corrupt, Permissive.Refused)(
      edited("optional binary value;")(named(_, "v").setNum_children(Int.MaxValue): Unit)
    ),
    MalformedFile("a negative number of children", Schema, Permissive.Refused)(
      edited("optional binary value;")(named(_, "v").setNum_children(-1): Unit)
    ),
    invalidSchema(
      "201 nested objects",
      "$" + ".a" * 201,
      "Shredded values are nested deeper than 200."
    )(writeDeep(_, 201))
  )

  private def precision(footer: FileMetaData, digits: Int): Unit = {
    val decimal = named(footer, "typed_value")
    decimal.getLogicalType.getDECIMAL.setPrecision(digits)
    decimal.setPrecision(digits): Unit
  }

  /** A file without rows of objects within objects. */
  def writeDeep(path: Path, levels: Int): Unit = {
    // parquet-java's own code is recursive too.
    val writer = new Thread(null, () => writeLevels(path, levels), "deep", 1L << 30)
    writer.start()
    writer.join()
  }

  private def writeLevels(path: Path, levels: Int): Unit = {
    val value = Types.optional(BINARY).named("value")
    def group(name: String, fields: Type*): GroupType =
      Types.buildGroup(REQUIRED).addFields(fields: _*).named(name)
    val innermost: Type = group("a", value)
    val field = (1 until levels).foldLeft(innermost) { (inner, _) =>
      group("a", Types.buildGroup(OPTIONAL).addFields(inner).named("typed_value"))
    }
    val variant = group(
      "v",
      Types.required(BINARY).named("metadata"),
      Types.buildGroup(OPTIONAL).addFields(field).named("typed_value")
    )
    ParquetFixture.write(path, new MessageType("m", variant), Nil, identity)
  }
}
