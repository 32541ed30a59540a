package io.github.variantshredded.write

import java.nio.file.Files

import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.PathsText.PatternStep
import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.file.{BloomFilterPaths, VariantFileWriter, WrittenColumns}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Files of the product's writer as bytes, made without a session. */
object WrittenBytes {

  /**
   * @param shredding
   *   of the only Variant column
   * @param bloomFilters
   *   names of fields of that Variant
   * @param settings
   *   `parquet.*` options
   */
  def apply(
      schema: StructType,
      rows: Seq[InternalRow],
      shredding: String,
      layout: Layout,
      codec: CompressionCodecName,
      bloomFilters: Seq[String],
      settings: Map[String, String]
  ): Array[Byte] = {
    val conf = new Configuration(FileRows.conf)
    Seq(
      SQLConf.PARQUET_WRITE_LEGACY_FORMAT,
      SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE,
      SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED,
      SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE
    ).foreach(entry => conf.set(entry.key, entry.defaultValueString))
    settings.foreach { case (key, value) => conf.set(key, value) }
    val folder = Files.createTempDirectory("variant-shredded")
    val file = folder.resolve("file.parquet")
    val writer = new VariantFileWriter(
      new Path(file.toUri),
      WrittenColumns(
        schema,
        Seq(ShreddingText.parse(shredding)),
        layout,
        BloomFilterPaths(Vector(bloomFilters.toVector.map(name => Vector(PatternStep.Field(name)))))
      ),
      codec,
      conf
    )
    rows.foreach(writer.write(_))
    writer.close()
    val bytes = Files.readAllBytes(file)
    Files.list(folder).forEach(Files.delete(_))
    Files.delete(folder)
    bytes
  }
}
