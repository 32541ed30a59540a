package io.github.variantshredded.read.footer

import java.io.FileNotFoundException
import java.nio.file.NoSuchFileException

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.read.file.FileRows
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

class FileErrorsSuite extends AnyFunSuite {

  // An overwrite has deleted it meanwhile; see ConcurrentWritesSuite.
  test("a file that goes between two reads of its bytes is missing, not corrupt") {
    val error = intercept[FileNotFoundException] {
      FileErrors.guard(ErrorLocation())(throw new NoSuchFileException("/data/part-0.parquet"))
    }
    assert(error.getMessage === "File /data/part-0.parquet does not exist")
    assert(error.getCause.isInstanceOf[NoSuchFileException])
  }

  test("a schema for which Spark has no named condition makes a corrupt file") {
    val file = MessageTypeParser.parseMessageType(
      "message m { repeated group l (LIST) { repeated group list { optional int32 element; } } }"
    )
    val wanted = StructType.fromDDL("l array<int>")
    val error = intercept[VariantShreddedException] {
      FileErrors.guard(ErrorLocation(file = Some("f"))) {
        new ParquetToSparkSchemaConverter(FileRows.conf).convertParquetColumn(file, Some(wanted))
      }
    }
    assert(error.condition === "CORRUPT_PARQUET_FILE")
    assert(error.location.file === Some("f"))
  }
}
