package io.github.variantshredded.write.file

import java.util.{EnumSet, Map => JMap, Set => JSet}

import io.github.variantshredded.write.VariantWriteBuilder
import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Hands writes to [[VariantWriteBuilder]], with nothing of the product's entrance around it.
 *
 * The option `partitions` names the partition columns, with commas between them.
 */
class WriteOnlySource extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table =
    new WriteOnlyTable(new CaseInsensitiveStringMap(properties))
}

private final class WriteOnlyTable(options: CaseInsensitiveStringMap)
    extends Table
    with SupportsWrite {

  private val partitions = Option(options.get("partitions")).toSeq.flatMap(_.split(","))

  override def name(): String = "write-only"

  @deprecated("as the interface has it", "")
  override def schema(): StructType = new StructType

  override def partitioning(): Array[Transform] =
    partitions.map(name => Expressions.identity(s"`$name`"): Transform).toArray

  override def capabilities(): JSet[TableCapability] = EnumSet.of(
    TableCapability.BATCH_WRITE,
    TableCapability.TRUNCATE,
    TableCapability.OVERWRITE_BY_FILTER,
    TableCapability.OVERWRITE_DYNAMIC,
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new VariantWriteBuilder(info, options.get("path"), options, partitions, tableSchema = None)
}
