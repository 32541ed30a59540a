package io.github.variantshredded.write.shred

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.testing.{LocalParquet, VariantTree}
import io.github.variantshredded.write.column.{LeafBloomFilter, LeafStore, LeafWriter}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.crypto.{FileEncryptionProperties, InternalFileEncryptor}
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter
import org.apache.parquet.hadoop.{CodecFactory, ColumnChunkPageWriteStore, ParquetFileWriter}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.{ColumnIOFactory, LocalOutputFile}
import org.apache.parquet.schema.{MessageType, Type}

/** What `Shredder` writes for encoded Variants, read back by parquet-java, one group each. */
object ShreddedGroups {

  private val codecs = new CodecFactory(new Configuration(false), 1024)
  private lazy val file: Path = {
    val made = Files.createTempFile("variant-shredded", ".parquet")
    made.toFile.deleteOnExit()
    made
  }

  def shred(schema: ShreddingSchema, trees: VariantTree*): Seq[Group] =
    shred(schema, ShredderSettings(), trees.map(VariantTree.encode))

  def shred(
      schema: ShreddingSchema,
      settings: ShredderSettings,
      variants: Seq[(Array[Byte], Array[Byte])],
      props: ParquetProperties = ParquetProperties.builder().build()
  ): Seq[Group] = {
    write(schema, settings, variants, props)
    val reader = LocalParquet.open(file)
    try {
      val message = reader.getFileMetaData.getSchema
      val records = new ColumnIOFactory()
        .getColumnIO(message)
        .getRecordReader(reader.readNextRowGroup(), new GroupRecordConverter(message))
      Seq.fill(variants.size)(records.read().getGroup("v", 0))
    } finally reader.close()
  }

  /** A file with the column `v`, valid until the next call. */
  def write(
      schema: ShreddingSchema,
      settings: ShredderSettings,
      variants: Seq[(Array[Byte], Array[Byte])],
      props: ParquetProperties = ParquetProperties.builder().build()
  ): Path = {
    val message =
      new MessageType("m", settings.layout.group("v", schema, Type.Repetition.REQUIRED))
    val pages = new ColumnChunkPageWriteStore(
      codecs.getCompressor(CompressionCodecName.UNCOMPRESSED): BytesInputCompressor,
      message,
      props.getAllocator,
      64,
      false,
      null: InternalFileEncryptor,
      0
    )
    val leaves = message.getColumns.asScala.map { column =>
      new LeafWriter(
        column,
        pages.getPageWriter(column),
        pages.getBloomFilterWriter(column),
        LeafBloomFilter(column, props, isChosen = false),
        props
      )
    }.toSeq
    val shredder = new Shredder(schema, leaves, 0, 0, settings)
    val store = new LeafStore(leaves.toArray, props, () => shredder.settle())
    variants.foreach { case (metadata, value) =>
      // Neither part begins at 0 or ends with the array.
      val bytes = Array.fill[Byte](5)(-1) ++ value ++ metadata ++ Array.fill[Byte](3)(-1)
      val split = 5 + value.length
      shredder.write(bytes, 5, split, split, split + metadata.length, 0)
      store.endRow()
    }
    val writer = new ParquetFileWriter(
      new LocalOutputFile(file),
      message,
      ParquetFileWriter.Mode.OVERWRITE,
      1L << 27,
      0,
      null: FileEncryptionProperties,
      props
    )
    writer.start()
    writer.startBlock(variants.size.toLong)
    store.endChunks()
    pages.flushToFileWriter(writer)
    writer.endBlock()
    writer.end(new java.util.HashMap[String, String])
    pages.close()
    file
  }
}
