package io.github.variantshredded.interop

import java.nio.ByteBuffer
import java.nio.file.Path

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.{VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.apache.avro.{Schema => AvroSchema}
import org.apache.avro.generic.{GenericData, GenericRecord}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.avro.{AvroParquetReader, AvroSchemaConverter, AvroWriteSupport}
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.{LocalOutputFile, OutputFile, ParquetDecodingException}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.{MessageType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32
import org.apache.parquet.variant.{Variant, VariantValueWriter}

/**
 * Files of parquet-java's `VariantValueWriter` and of parquet-avro, and ours as parquet-avro reads
 * them. (Ours as `VariantConverters` read them: `WrittenFilesSuite`.)
 */
class ParquetJavaSuite extends InteropSuite {

  private def fileSchema(schema: ShreddingSchema): MessageType = new MessageType(
    "table",
    Types.required(INT32).named("n"),
    Layout.Spec.group("v", schema, Type.Repetition.OPTIONAL)
  )

  private type Row = (Int, Option[Variant])

  private def rows(trees: Seq[Option[VariantTree]]): Seq[Row] =
    trees.zipWithIndex.map { case (tree, n) =>
      n -> tree.map { known =>
        val (metadata, value) = VariantTree.encode(known)
        new Variant(value, metadata)
      }
    }

  private def write[T](rows: Seq[T], support: WriteSupport[T]): Path = {
    val file = newPath()
    val writer = new ParquetJavaSuite.Builder(new LocalOutputFile(file), support).build()
    try rows.foreach(writer.write)
    finally writer.close()
    file
  }

  /** By `VariantValueWriter`, the rest by hand. */
  private def byVariantWriter(trees: Seq[Option[VariantTree]], schema: ShreddingSchema): Path = {
    val message = fileSchema(schema)
    val support = new WriteSupport[Row] {
      private var consumer: RecordConsumer = _

      override def init(conf: Configuration): WriteSupport.WriteContext =
        new WriteSupport.WriteContext(message, Map.empty[String, String].asJava)

      override def prepareForWrite(recordConsumer: RecordConsumer): Unit =
        consumer = recordConsumer

      override def write(row: Row): Unit = {
        consumer.startMessage()
        consumer.startField("n", 0)
        consumer.addInteger(row._1)
        consumer.endField("n", 0)
        row._2.foreach { variant =>
          consumer.startField("v", 1)
          VariantValueWriter.write(consumer, message.getType(1).asGroupType, variant)
          consumer.endField("v", 1)
        }
        consumer.endMessage()
      }
    }
    write(rows(trees), support)
  }

  private val avroSchema: AvroSchema = new AvroSchemaConverter()
    .convert(fileSchema(ShreddingSchema.Unshredded))

  /** By parquet-avro, from generic records. */
  private def byAvro(trees: Seq[Option[VariantTree]], schema: ShreddingSchema): Path = {
    val variantSchema = AvroSchemaConverter.getNonNull(avroSchema.getField("v").schema)
    val records = rows(trees).map { case (n, variant) =>
      val record = new GenericData.Record(avroSchema)
      record.put("n", n)
      record.put(
        "v",
        variant.map { known =>
          val inner = new GenericData.Record(variantSchema)
          inner.put("metadata", known.getMetadataBuffer)
          inner.put("value", known.getValueBuffer)
          inner
        }.orNull
      )
      record: GenericRecord
    }
    write(
      records,
      new AvroWriteSupport[GenericRecord](fileSchema(schema), avroSchema, GenericData.get)
    )
  }

  private def readByAvro(file: Path): Seq[Option[VariantTree]] = {
    val input = HadoopInputFile.fromPath(new HadoopPath(file.toUri), new Configuration)
    val reader = AvroParquetReader.builder[GenericRecord](input).build()
    try
      Iterator
        .continually(reader.read())
        .takeWhile(_ != null)
        .map { record =>
          Option(record.get("v")).map {
            case variant: GenericRecord =>
              VariantTree.decode(bytes(variant.get("metadata")), bytes(variant.get("value")))
            case other => fail(s"not a record: $other")
          }
        }
        .toVector
    finally reader.close()
  }

  private def bytes(buffer: Any): Array[Byte] = buffer match {
    case buffer: ByteBuffer =>
      val copy = new Array[Byte](buffer.remaining)
      buffer.duplicate().get(copy)
      copy
    case other => fail(s"no bytes: $other")
  }

  private def lenient(file: Path): Seq[Option[VariantTree]] =
    FileRows.variants(file, "v", FileRows.readSettings(strict = false))

  test("files of VariantValueWriter") {
    val file = byVariantWriter(documents, ShreddingText.parse(shredding))
    assertDocuments(file.toString, "validation" -> "permissive")
    forAll(cases(VariantGenerators.genVariantTree(3, 4))) { case (trees, schema) =>
      assertSame(lenient(byVariantWriter(trees, schema)), trees)
    }
  }

  test("its values within others bring along what follows there: refused by validation=strict") {
    val trees = Seq(Some(obj("a" -> Str("text"), "b" -> Int64(1))))
    val file = byVariantWriter(trees, ShreddingText.parse("a bigint, b bigint"))
    val error = intercept[VariantShreddedException](FileRows.variants(file, "v"))
    assert(error.getMessage.startsWith("[MALFORMED_VARIANT] 9 bytes follow after the value. ("))
    assertSame(lenient(file), trees)
  }

  test("files of parquet-avro") {
    val file = byAvro(documents, ShreddingText.parse(shredding))
    assertDocuments(file.toString, "validation" -> "permissive")
  }

  test("parquet-avro reads ours") {
    // It reads no row without the name of a shredded field in its metadata.
    val whole = documents.take(1) ++ documents.filter(_.isEmpty)
    val file = onlyFile(saved(variants(whole: _*), "shredding" -> shredding))
    assertSame(readByAvro(file), whole)
    val names = Seq(Some(obj("a" -> Int64(1))), Some(obj()))
    val error = intercept[ParquetDecodingException] {
      readByAvro(onlyFile(saved(variants(names: _*), "shredding" -> "a bigint")))
    }
    assert(error.getCause.getMessage === "Key does not exist in metadata: a")
    val plain = onlyFile(saved(variants(documents: _*), "shredding" -> "none"))
    assertSame(readByAvro(plain), documents)
  }
}

object ParquetJavaSuite {

  private final class Builder[T](file: OutputFile, support: WriteSupport[T])
      extends ParquetWriter.Builder[T, Builder[T]](file) {
    override protected def self(): Builder[T] = this

    override protected def getWriteSupport(conf: Configuration): WriteSupport[T] = support
  }
}
