package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.takeover.ByName.call
import org.apache.iceberg.{BatchScan, FileScanTask, PartitionSpec, Schema, Snapshot, Table}
import org.apache.iceberg.expressions.Expressions
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Reads the state of a table that a query uses: Iceberg pins it when the table is loaded. */
private[takeover] final class PinnedIcebergTable(relation: DataSourceV2Relation) {
  import PinnedIcebergTable._

  val table: Table = classOf[Table].cast(call(relation.table, "table"))

  val schema: Schema = classOf[Schema].cast(pinned("schema"))

  /** The snapshot; an empty table has none. */
  val snapshot: Option[Snapshot] = Option(classOf[Snapshot].cast(pinned("snapshot")))

  // The table tells the identifier of the snapshot, but not of the schema, which need not be the
  // table's current one.
  private def pinned(name: String): AnyRef = {
    val field = relation.table.getClass.getDeclaredField(name)
    field.setAccessible(true)
    field.get(relation.table)
  }

  /** The columns as Iceberg's table for Spark shows them. */
  val columnsOfSpark: StructType = StructType(relation.table.columns.map { column =>
    StructField(column.name, column.dataType, column.nullable)
  })

  /** The columns with their field ids, or why they are not known. */
  lazy val columns: Either[String, StructType] =
    IcebergColumns.withFieldIds(columnsOfSpark, schema.asStruct)

  /**
   * The options of the read. Settings of the session for dates, and for corrupt and missing files, do
   * not hold for Iceberg's reader, so they are fixed.
   */
  val options: Map[String, String] = {
    val ownName = ReadOptions.TakeOverOption.name
    val ofTable = new CaseInsensitiveStringMap(table.properties)
    val own = Option(relation.options.get(ownName)).orElse(Option(ofTable.get(ownName)))
    Map(
      "datetimeRebaseMode" -> "CORRECTED",
      "int96RebaseMode" -> "CORRECTED",
      "ignoreCorruptFiles" -> "false",
      "ignoreMissingFiles" -> "false"
    ) ++ own.map(ownName -> _)
  }

  /** Returns whether an option of the query or of the table leaves it to Iceberg. */
  def isSwitchedOff: Boolean =
    !ReadOptions.TakeOverOption.of(new CaseInsensitiveStringMap(options.asJava))

  /**
   * Returns the files that a query with `filters` reads, as Iceberg plans them, or why the query is
   * left to Iceberg. Planning stops at the first file for which it is.
   *
   * @param reason
   *   says why a query that reads a file is left to Iceberg
   */
  def plan(filters: Seq[Expression], caseSensitive: Boolean)(
      reason: FileScanTask => Option[String]
  ): Either[String, Seq[FileScanTask]] =
    snapshot.fold[Either[String, Seq[FileScanTask]]](Right(Nil)) { snapshot =>
      def planned(scan: BatchScan) = {
        val filter =
          if (scan.schema.sameSchema(schema)) IcebergFilters(filters, schema, caseSensitive)
          else Expressions.alwaysTrue
        val partitionColumns = table.specs.values.asScala
          .flatMap(identityColumns)
          .flatMap(id => Option(scan.schema.findColumnName(id)))
          .toSet
        val described =
          if (partitionColumns.isEmpty) scan else scan.includeColumnStats(partitionColumns.asJava)
        val chosen = described.filter(filter).ignoreResiduals()
        Using.resource(chosen.planFiles()) { files =>
          val tasks = Vector.newBuilder[FileScanTask]
          val declined = files.asScala.iterator.map(_.asFileScanTask).flatMap { task =>
            tasks += task
            reason(task)
          }
          declined.nextOption().toLeft(tasks.result())
        }
      }
      val latest = table.newBatchScan().caseSensitive(caseSensitive)
      // This scan asks the table for its snapshot each time, and another thread may commit one.
      def isPinned = Option(latest.snapshot).exists(_.snapshotId == snapshot.snapshotId)
      // The scan of an earlier snapshot has the schema of its time, and with it other names.
      Option
        .when(isPinned)(planned(latest))
        .filter(_ => isPinned)
        .getOrElse(planned(latest.useSnapshot(snapshot.snapshotId)))
    }
}

private[takeover] object PinnedIcebergTable {

  /** Returns the ids of the columns whose values Iceberg's metadata has for a whole file. */
  def identityColumns(spec: PartitionSpec): Seq[Int] =
    spec.fields.asScala.toSeq.filter(_.transform.isIdentity).map(_.sourceId)
}
