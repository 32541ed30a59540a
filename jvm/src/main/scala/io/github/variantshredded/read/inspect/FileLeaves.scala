package io.github.variantshredded.read.inspect

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.read.columns.{FileColumns, RequestedColumns}
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.{FileSchema, FooterChunks, FooterSchema, VariantFinder}
import io.github.variantshredded.read.options.{FileContext, ReadSettings}
import io.github.variantshredded.shredding.VariantTypes
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Lists the leaf columns of a file in the order of the file. */
private[inspect] object FileLeaves {

  def of(
      metadata: ParquetMetadata,
      schema: FileSchema,
      conf: Configuration,
      settings: ReadSettings,
      context: FileContext
  ): Seq[FileLeaf] =
    new FileLeaves(metadata, schema, exact(conf), settings, context).all

  /**
   * Returns the configuration with exact matching of column names, because they come from the file
   * itself.
   */
  private def exact(conf: Configuration): Configuration = {
    val copy = new Configuration(conf)
    copy.setBoolean(SQLConf.CASE_SENSITIVE.key, true)
    copy.setBoolean(SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key, false)
    copy
  }
}

/** Merges the leaf columns of ordinary columns and of Variants into the order of the file. */
private final class FileLeaves(
    metadata: ParquetMetadata,
    schema: FileSchema,
    conf: Configuration,
    settings: ReadSettings,
    context: FileContext
) {
  private val fileMetadata: FileMetaData = metadata.getFileMetaData
  private val decoding = DecoderSettings.of(fileMetadata, settings)

  /** Returns the leaf columns of the file. */
  def all: Seq[FileLeaf] = {
    val columns = sparkColumns
    val placement =
      VariantFinder(schema, caseSensitive = true, useFieldId = false, context.maxDepth)
        .placeholders(columns)
    val described = ordinary(withoutVariants(columns)) ++
      placement.variants.values.flatMap(VariantLeaves.of(_, schema, settings.variants, decoding))
    val byPath = described.map(leaf => leaf.parquetPath -> leaf).toMap
    schema.leaves.map { leaf =>
      val path = leaf.getPath.toIndexedSeq
      byPath.getOrElse(path, FileLeaf(path, path.mkString("."), None, None, None, None))
    }
  }

  /** Returns the columns that have a Spark type. */
  private def sparkColumns: StructType = {
    val keyValues = fileMetadata.getKeyValueMetaData.asScala.toMap
    Try(FooterSchema(schema.message, keyValues, conf)).getOrElse {
      StructType(schema.message.getFields.asScala.toSeq.flatMap { field =>
        val single = new MessageType(schema.message.getName, field)
        Try(FooterSchema.convert(single, conf).fields.toSeq).getOrElse(Nil)
      })
    }
  }

  /** Returns the columns, and the fields of structs, that do not contain a Variant. */
  private def withoutVariants(columns: StructType): StructType =
    StructType(columns.fields.flatMap { field =>
      field.dataType match {
        case dataType if !VariantTypes.hasVariant(dataType) => Some(field)
        case struct: StructType                             =>
          Some(withoutVariants(struct)).filter(_.nonEmpty).map(s => field.copy(dataType = s))
        case _ => None
      }
    })

  private def ordinary(wanted: StructType): Seq[FileLeaf] = {
    val chunks = new FooterChunks(metadata.getBlocks.asScala.toArray)
    val columns = new FileColumns(schema, RequestedColumns(wanted), conf, context, chunks)
    OrdinaryLeaves.of(wanted, columns, schema, decoding)
  }
}
