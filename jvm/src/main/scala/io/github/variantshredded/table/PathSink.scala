package io.github.variantshredded.table

import java.util.{EnumSet, Set => JSet}

import io.github.variantshredded.options.Format
import io.github.variantshredded.write.VariantWriteBuilder
import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Represents the target of `df.write.format("variant-shredded").save(path)`; it accepts any schema.
 */
final class PathSink(
    path: String,
    options: CaseInsensitiveStringMap,
    querySchema: StructType,
    val transforms: Array[Transform]
) extends Table
    with SupportsWrite {

  private val partitionColumns = PartitionColumns.names(transforms.toSeq)

  override def name(): String = s"${Format.Name} $path"

  override def schema(): StructType = querySchema

  override def partitioning(): Array[Transform] = transforms

  override def capabilities(): JSet[TableCapability] =
    EnumSet.of(BATCH_WRITE, TRUNCATE, OVERWRITE_DYNAMIC, ACCEPT_ANY_SCHEMA)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new VariantWriteBuilder(info, path, options, partitionColumns, None)
}
