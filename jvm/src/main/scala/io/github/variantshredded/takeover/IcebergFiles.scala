package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.UnchangedFile
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{DeleteFile, FileScanTask, Schema, Snapshot, Table}
import org.apache.iceberg.expressions.{Evaluator, Projections}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  FileStatusWithMetadata,
  PartitionDirectory
}
import org.apache.spark.sql.types.StructType

/**
 * Lists the files of an Iceberg table that Iceberg has planned for a query. The values of partition
 * columns are in the files, so there are no partition columns here.
 *
 * @param schema
 *   the schema of the query, which may be an earlier one of the table
 * @param tasks
 *   one for each file, with the files that say which of its rows are deleted
 */
private[takeover] final class IcebergFiles(
    table: Table,
    snapshot: Option[Snapshot],
    schema: Schema,
    tasks: Seq[FileScanTask],
    caseSensitive: Boolean
) extends FileIndex {

  private val files: Seq[FileStatusWithMetadata] = tasks.map { task =>
    val file = task.file
    FileStatusWithMetadata(
      new UnchangedFile(new Path(file.location), file.fileSizeInBytes),
      if (task.deletes.isEmpty) Map.empty
      else {
        val deletes = new IcebergDeletes(task.deletes.asScala.toArray)
        Map(IcebergFiles.Location -> file.location, IcebergFiles.Deletes -> deletes)
      }
    )
  }

  override def rootPaths: Seq[Path] = Seq(new Path(table.location))

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = directories(files)

  // The tasks have more, such as statistics, which would stay in memory with the plan.
  private val partitions = tasks.map(task => task.spec -> task.file.partition)

  // The names in a predicate are those of the query's schema.
  private lazy val specs = partitions.map(_._1).distinct.filter(_.schema.sameSchema(schema))

  /** The columns by whose values the files are partitioned, in any of the table's ways. */
  lazy val partitionedBy: Set[String] = specs
    .flatMap(_.fields.asScala.map(_.sourceId))
    .flatMap(id => schema.columns.asScala.find(_.fieldId == id))
    .map(_.name)
    .toSet

  /** Returns the files whose partition may have rows that pass the filters. */
  def pruned(filters: Seq[Expression]): Seq[PartitionDirectory] = {
    val filter = IcebergFilters(filters, schema, caseSensitive)
    val bySpec = specs.map { spec =>
      val ofPartitions = Projections.inclusive(spec, caseSensitive).project(filter)
      spec.specId -> new Evaluator(spec.partitionType, ofPartitions, caseSensitive)
    }.toMap
    directories(partitions.zip(files).collect {
      case ((spec, partition), file) if bySpec.get(spec.specId).forall(_.eval(partition)) => file
    })
  }

  private def directories(files: Seq[FileStatusWithMetadata]): Seq[PartitionDirectory] =
    if (files.isEmpty) Nil else Seq(PartitionDirectory(InternalRow.empty, files))

  override def inputFiles: Array[String] = files.map(_.getPath.toString).toArray

  override def refresh(): Unit = ()

  override def sizeInBytes: Long = files.map(_.getLen).sum

  override def partitionSchema: StructType = new StructType

  // A snapshot of a table always has the same files and deleted rows, which Iceberg lists in any
  // order. Spark compares indexes to find equal scans.
  private lazy val key = (table.uuid, snapshot.map(_.snapshotId), files.map(_.getPath).toSet)

  override def equals(other: Any): Boolean = other match {
    case that: IcebergFiles => key == that.key
    case _                  => false
  }

  override def hashCode(): Int = key.hashCode
}

private[takeover] object IcebergFiles {

  /** The names under which the tasks get the location of a file and its files of deletes. */
  final val Location = "iceberg.location"
  final val Deletes = "iceberg.deletes"

  /** Returns the files that say which rows of a file are deleted. */
  def deletesOf(value: Any): Seq[DeleteFile] = value match {
    case deletes: IcebergDeletes => deletes.files.toSeq
    case other                   => throw new IllegalStateException(s"Deletes of Iceberg: $other")
  }
}
