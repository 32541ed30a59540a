package io.github.variantshredded.write

import java.util.HashMap

import io.github.variantshredded.shredding.ShreddingSchema
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.io.api.RecordConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetWriteSupport}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType

/**
 * Writes Spark's rows with their Variants shredded, everything else by Spark's own writer.
 *
 * @param schema
 *   schema of the rows
 * @param schemas
 *   how each Variant is shredded, in the order of
 *   [[io.github.variantshredded.shredding.ShreddingSpec.columns]]
 */
private[write] final class VariantWriteSupport(schema: StructType, schemas: Seq[ShreddingSchema])
    extends WriteSupport[InternalRow] {

  private val spark = new ParquetWriteSupport
  private lazy val toUnsafe = UnsafeProjection.create(schema)
  private var root: PositionNode = PositionNode.Plain

  override def init(configuration: Configuration): WriteContext = {
    val conf = new Configuration(configuration)
    ParquetWriteSupport.setSchema(VariantColumns.asBinary(schema), conf)
    // Set where Spark's tests force a shredding schema; it is not for these columns.
    conf.unset(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA)
    val context = spark.init(conf)
    val settings = ShredderSettings(
      writesMissing = ParquetOutputFormat.getValidation(conf),
      legacyCalendar =
        SQLConf.get.getConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE) == LegacyBehaviorPolicy.LEGACY
    )
    val (fileSchema, node) = VariantColumns.replace(
      schema,
      context.getSchema,
      schemas,
      legacyLists = conf.get(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key).toBoolean,
      settings
    )
    root = node
    val metadata = new HashMap[String, String](context.getExtraMetaData)
    metadata.put(ParquetReadSupport.SPARK_METADATA_KEY, schema.json)
    new WriteContext(fileSchema, metadata)
  }

  override def prepareForWrite(consumer: RecordConsumer): Unit = spark.prepareForWrite(
    if (root eq PositionNode.Plain) consumer else new VariantRecordConsumer(consumer, root)
  )

  override def write(row: InternalRow): Unit = row match {
    case unsafe: UnsafeRow => spark.write(unsafe)
    case other             => spark.write(toUnsafe(other))
  }
}
