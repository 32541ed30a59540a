package io.github.variantshredded.table

import io.github.variantshredded.directory.Uninterrupted
import org.apache.spark.sql.connector.catalog.{StagedTable, SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  SupportsTruncate,
  Write,
  WriteBuilder
}
import org.apache.spark.sql.types.StructType

/**
 * Represents the target of `CREATE [OR REPLACE] TABLE ... AS SELECT`.
 *
 * @param table
 *   the table that the rows are written to
 * @param commit
 *   runs after the rows have been written; its argument is whether there was a query to write
 * @param abort
 *   runs after a failure
 */
private[variantshredded] final class StagedFiles(
    table: CatalogedTable,
    commit: Boolean => Unit,
    abort: () => Unit
) extends StagedTable
    with SupportsWrite {

  private var written = false

  override def name(): String = table.name()

  override def schema(): StructType = table.schema

  override def partitioning(): Array[Transform] = table.partitioning()

  override def capabilities(): java.util.Set[TableCapability] = table.capabilities()

  // Not every version of Spark calls truncate for a table that is replaced.
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = {
    written = true
    table.newWriteBuilder(info) match {
      case builder: SupportsTruncate if table.replacesTable => builder.truncate()
      case builder                                          => new Adding(builder)
    }
  }

  /** Keeps what others have written to a new table, although Spark asks for an overwrite. */
  private final class Adding(builder: WriteBuilder) extends WriteBuilder with SupportsTruncate {
    override def truncate(): WriteBuilder = this
    override def build(): Write = builder.build()
  }

  override def commitStagedChanges(): Unit = commit(written)

  override def abortStagedChanges(): Unit = Uninterrupted(abort())
}
