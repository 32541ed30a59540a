package io.github.variantshredded.read.columns

import java.util.{Set => JSet}

import io.github.variantshredded.read.decode.{AssembledColumn, DecoderSettings}
import io.github.variantshredded.read.extract.AssembledVariants
import org.apache.spark.sql.catalyst.analysis.{
  caseInsensitiveResolution,
  caseSensitiveResolution,
  Resolver
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types.StructType

/**
 * Describes the Variants that Spark's reader decodes for extractions.
 *
 * @param schema
 *   the Variants, in the structs that hold them
 * @param columns
 *   how the file stores the columns of `schema`
 * @param missing
 *   the parts of the columns that the file does not have
 */
private[read] final case class SparkVariants(
    schema: StructType,
    columns: Seq[ResolvedColumn.Ordinary],
    missing: JSet[ParquetColumn],
    caseSensitive: Boolean
) {

  def decoders(settings: DecoderSettings): AssembledVariants = new AssembledVariants(
    columns.map { case ResolvedColumn.Ordinary(column, batchType, default) =>
      new AssembledColumn(
        column,
        batchType,
        missing,
        default,
        isTopLevel = true,
        settings,
        _ => false
      )
    },
    ordinals(schema, _)
  )

  private def ordinals(struct: StructType, names: Seq[String]): Seq[Int] =
    names.headOption.toSeq.flatMap { name =>
      val ordinal = struct.indexWhere(field => isSame(field.name, name))
      val inner = struct(ordinal).dataType match {
        case fields: StructType => ordinals(fields, names.tail)
        case _                  => Nil
      }
      ordinal +: inner
    }

  private val isSame: Resolver =
    if (caseSensitive) caseSensitiveResolution else caseInsensitiveResolution
}
