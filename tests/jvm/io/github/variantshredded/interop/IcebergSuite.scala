package io.github.variantshredded.interop

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.{VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{DataFiles, MetricsConfig, PartitionSpec, Schema, SortOrder, Table}
import org.apache.iceberg.data.{GenericRecord, IcebergGenerics, Record}
import org.apache.iceberg.data.parquet.GenericParquetWriter
import org.apache.iceberg.hadoop.HadoopTables
import org.apache.iceberg.io.DataWriter
import org.apache.iceberg.mapping.{MappingUtil, NameMappingParser}
import org.apache.iceberg.parquet.{Parquet, ParquetUtil, ParquetValueWriter}
import org.apache.iceberg.types.{Types => IcebergTypes}
import org.apache.iceberg.variants.{Variant, VariantMetadata, VariantValue}
import org.apache.parquet.schema.{MessageType, Type}

/** Tables of Iceberg, without an engine: its files by path, and ours as files of its tables. */
class IcebergSuite extends InteropSuite {

  private val schema = new Schema(
    IcebergTypes.NestedField.required(1, "n", IcebergTypes.IntegerType.get),
    IcebergTypes.NestedField.optional(2, "v", IcebergTypes.VariantType.get)
  )

  private def newTable(): Table = new HadoopTables(new Configuration).create(
    schema,
    PartitionSpec.unpartitioned,
    SortOrder.unsorted,
    Map(
      "format-version" -> "3",
      "schema.name-mapping.default" -> NameMappingParser.toJson(MappingUtil.create(schema))
    ).asJava,
    newPath().toString
  )

  private def variant(tree: VariantTree): Variant = {
    val (metadata, value) = VariantTree.encode(tree)
    val names = VariantMetadata.from(littleEndian(metadata))
    Variant.of(names, VariantValue.from(names, littleEndian(value)))
  }

  private def littleEndian(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)

  private def tree(variant: Variant): VariantTree = {
    val metadata = littleEndian(new Array[Byte](variant.metadata.sizeInBytes))
    variant.metadata.writeTo(metadata, 0)
    val value = littleEndian(new Array[Byte](variant.value.sizeInBytes))
    variant.value.writeTo(value, 0)
    VariantTree.decode(metadata.array, value.array)
  }

  /** Appends a data file to the table; gives its path. */
  private def append(
      table: Table,
      trees: Seq[Option[VariantTree]],
      shredded: ShreddingSchema
  ): Path = {
    val file = Path.of(table.location, "data", s"${java.util.UUID.randomUUID}.parquet")
    Files.createDirectories(file.getParent)
    val typed = Layout.Spec.group("v", shredded, Type.Repetition.OPTIONAL)
    val writer: DataWriter[Record] = Parquet
      .writeData(table.io.newOutputFile(file.toString))
      .forTable(table)
      .createWriterFunc((schema: Schema, parquet: MessageType) =>
        GenericParquetWriter.create(schema, parquet): ParquetValueWriter[_]
      )
      .variantShreddingFunc((_, _) =>
        if (typed.containsField("typed_value")) typed.getType("typed_value") else null
      )
      .build[Record]()
    try
      trees.zipWithIndex.foreach { case (tree, n) =>
        val record = GenericRecord.create(schema)
        record.setField("n", n)
        record.setField("v", tree.map(variant).orNull)
        writer.write(record)
      }
    finally writer.close()
    table.newAppend().appendFile(writer.toDataFile).commit()
    file
  }

  /** Appends a file of ours to the table, with what Iceberg makes of its footer. */
  private def register(table: Table, file: Path): Unit = {
    val input = table.io.newInputFile(file.toString)
    val mapping = NameMappingParser.fromJson(table.properties.get("schema.name-mapping.default"))
    val data = DataFiles
      .builder(PartitionSpec.unpartitioned)
      .withInputFile(input)
      .withFormat("parquet")
      .withMetrics(ParquetUtil.fileMetrics(input, MetricsConfig.forTable(table), mapping))
      .build()
    table.newAppend().appendFile(data).commit()
  }

  private def rows(table: Table): Seq[Option[VariantTree]] = {
    val records = IcebergGenerics.read(table).build()
    try
      records.asScala
        .map { record =>
          record.getField("n") -> Option(record.getField("v")).map {
            case variant: Variant => tree(variant)
            case other            => fail(s"not a Variant: $other")
          }
        }
        .toVector
        .sortBy { case (n, _) => n.toString.toInt }
        .map(_._2)
    finally records.close()
  }

  test("files of an Iceberg table") {
    val table = newTable()
    val file = append(table, documents, ShreddingText.parse(shredding))
    assert(fileSchema(file).contains("optional group typed_value"))
    assertSame(rows(table), documents)
    assertDocuments(s"${table.location}/data")
    forAll(cases(VariantGenerators.genVariantTree(3, 4))) { case (trees, schema) =>
      // Iceberg gives a decimal the scale of its typed column.
      assertSame(FileRows.variants(append(newTable(), trees, schema), "v"), trees, scales = false)
    }
  }

  test("Iceberg reads ours as files of its table") {
    Seq("infer", "none", shredding).foreach { schema =>
      val table = newTable()
      register(table, onlyFile(saved(variants(documents: _*), "shredding" -> schema)))
      assertSame(rows(table), documents)
    }
    forAll(cases(VariantGenerators.genVariantTree(3, 4))) { case (trees, schema) =>
      val table = newTable()
      register(table, onlyFile(saved(trees, schema)))
      assertSame(rows(table), trees)
    }
  }

  test("Iceberg takes the bounds of fields from our files") {
    val ids = Seq(3, 1, 2).map(i => Option(obj("id" -> Int64(i.toLong), "s" -> Str(s"x$i"))))
    val file = onlyFile(saved(variants(ids: _*), "shredding" -> "id bigint, s string"))
    val table = newTable()
    register(table, file)
    val tasks = table.newScan().includeColumnStats().planFiles()
    val bounds =
      try
        tasks.asScala
          .map(_.file)
          .flatMap(data => Seq(data.lowerBounds, data.upperBounds))
          .map(bound => tree(Variant.from(bound.get(2).order(ByteOrder.LITTLE_ENDIAN))))
          .toVector
      finally tasks.close()
    assert(
      bounds === Seq(
        obj("$['id']" -> Int64(1), "$['s']" -> Str("x1")),
        obj("$['id']" -> Int64(3), "$['s']" -> Str("x3"))
      )
    )
  }
}
