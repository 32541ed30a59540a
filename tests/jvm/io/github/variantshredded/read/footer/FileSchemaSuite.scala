package io.github.variantshredded.read.footer

import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.scalatest.funsuite.AnyFunSuite

class FileSchemaSuite extends AnyFunSuite {

  private def parse(typed: String): MessageType = MessageTypeParser.parseMessageType(
    "message m { optional group v (VARIANT(1)) { required binary metadata; " +
      s"optional binary value; optional $typed typed_value; } }"
  )

  test("equal schemas share one instance, with annotations of Variants too") {
    assert(FileSchema.of(parse("int64")) eq FileSchema.of(parse("int64")))
  }

  test("other schemas do not") {
    val number = FileSchema.of(parse("int64"))
    assert(FileSchema.of(parse("int32")) ne number)
    assert(FileSchema.of(parse("binary")).message != number.message)
  }
}
