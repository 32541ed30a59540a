package io.github.variantshredded.read.scan

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  PartitionDirectory,
  PartitioningAwareFileIndex,
  PartitionSpec
}
import org.apache.spark.sql.types.StructType

/**
 * Lists the files of another source's index, such as the index of a table whose partitions are in a
 * metastore, in the form that scans of Data Source V2 need. The other index chooses the
 * files for each scan.
 */
private[variantshredded] class RelationFiles(session: classic.SparkSession, index: FileIndex)
    extends PartitioningAwareFileIndex(session, Map.empty, None) {

  override def rootPaths: Seq[Path] = index.rootPaths

  override def refresh(): Unit = index.refresh()

  override def partitionSchema: StructType = index.partitionSchema

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = index.listFiles(partitionFilters, dataFilters)

  override def allFiles(): Seq[FileStatus] =
    listFiles(Nil, Nil).flatMap(_.files).map(_.fileStatus)

  override def inputFiles: Array[String] = index.inputFiles

  override def sizeInBytes: Long = index.sizeInBytes

  // The values of the partitions come with the directories that `listFiles` returns.
  override def partitionSpec(): PartitionSpec = PartitionSpec(partitionSchema, Nil)

  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] =
    mutable.LinkedHashMap.from(allFiles().map(file => file.getPath -> file))

  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] =
    allFiles().toArray.groupBy(_.getPath.getParent)

  /**
   * Returns whether equal indexes list the same files for the same filters. If not, the listings
   * have to be compared to find equal scans.
   */
  def isEqualByFiles: Boolean = false

  // Spark compares indexes to find equal scans.
  override def equals(other: Any): Boolean = other match {
    case that: RelationFiles => index == that.files
    case _                   => false
  }

  override def hashCode(): Int = index.hashCode()

  private def files: FileIndex = index
}
