package io.github.variantshredded.write

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.Format
import io.github.variantshredded.spark.StreamInternals
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  SupportsTruncate,
  Write,
  WriteBuilder
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Builds the write of a batch of a streaming query to a table.
 *
 * @param target
 *   the directory of the table
 * @param partitionColumns
 *   names of the partition columns, in the order of the directories
 */
private[variantshredded] final class StreamedWriteBuilder(
    batch: StreamedBatch,
    target: StreamTarget,
    info: LogicalWriteInfo,
    partitionColumns: Seq[String],
    tableSchema: StructType
) extends WriteBuilder
    with SupportsTruncate {
  import target.root

  override def build(): Write = {
    checkColumns()
    val isNew = batch.begin(target)
    val all = target.options.asCaseSensitiveMap.asScala.toMap ++ batch.options
    val options = new CaseInsensitiveStringMap(all.asJava)
    val write = VariantWrite(
      info.schema,
      root.toString,
      options,
      partitionColumns,
      WriteMode.Append,
      toleratesOthers = true
    )
    new StreamedWrite(write, isNew, () => batch.isLogged(target))
  }

  // Spark calls this for the output mode "complete".
  override def truncate(): WriteBuilder =
    throw StreamInternals.unsupportedOutputMode(Format.Name, OutputMode.Complete)

  /** Checks the columns of a stream, which Spark resolves neither by name nor by position. */
  private def checkColumns(): Unit = {
    val isSame = SQLConf.get.resolver
    val byName = tableSchema.fields.map(column => column.name -> column).toMap
    val found = info.schema.map { field =>
      byName.get(field.name).orElse(tableSchema.find(column => isSame(column.name, field.name)))
    }
    val fits = info.schema.length == tableSchema.length && info.schema.zip(found).forall {
      case (field, Some(column)) =>
        DataType.equalsIgnoreNullability(field.dataType, column.dataType)
      case _ => false
    }
    if (!fits)
      throw VariantShreddedErrors.unsupported(
        s"Writing a stream with the columns ${info.schema.toDDL} to the table in '$root', which " +
          s"has ${tableSchema.toDDL},",
        "Select the columns of the table, with their names and types."
      )
  }
}
