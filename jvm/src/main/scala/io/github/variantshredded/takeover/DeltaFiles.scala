package io.github.variantshredded.takeover

import io.github.variantshredded.read.scan.{PrunedFiles, RelationFiles}
import io.github.variantshredded.takeover.ByName.{call, getter, isOf}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}

/**
 * Lists the files of a Delta table that Delta Lake has chosen for a query, by its log and its
 * statistics. A scan may leave out more of them by the values of partition columns.
 *
 * Delta Lake is not on the class path of this source, so its methods are called by name.
 */
private[takeover] final class DeltaFiles private (
    session: classic.SparkSession,
    index: FileIndex,
    filters: Seq[Expression]
) extends RelationFiles(session, index) {

  // With the filters by which it has chosen the files, the index returns them without another job.
  private lazy val chosen: Seq[PartitionDirectory] = index.listFiles(filters, Nil)

  // Delta Lake compares the files that it has chosen, with their deletion vectors.
  override def isEqualByFiles: Boolean = true

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = {
    val known = partitionSchema.fieldNames.toSet
    val tests = partitionFilters.filter(_.references.forall(column => known(column.name)))
    PrunedFiles.select(chosen, partitionSchema, tests)
  }
}

private[takeover] object DeltaFiles {

  private final val Prepared = "org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex"

  private final val Given = "org.apache.spark.sql.delta.files.TahoeBatchFileIndex"

  def apply(session: classic.SparkSession, index: FileIndex): DeltaFiles = {
    val filters = call(call(index, "preparedScan"), "allFilters") match {
      case set: ExpressionSet => set.toSeq
      case other              => throw new IllegalStateException(s"Filters of Delta Lake: $other")
    }
    new DeltaFiles(session, index, filters)
  }

  /** Returns whether Delta Lake has chosen the files of a query. */
  def areChosen(index: FileIndex): Boolean = isOf(index, Prepared)

  /**
   * Returns whether some of the files have rows that are marked as deleted; None if the files are
   * not known yet.
   */
  def knownDeletionVectors(index: FileIndex): Option[Boolean] =
    if (areChosen(index)) Some(haveDeletionVectors(index))
    else if (isOf(index, Given)) Some(haveVectors(call(index, "addFiles")))
    else None

  /** Returns whether some of the chosen files have rows that are marked as deleted. */
  def haveDeletionVectors(index: FileIndex): Boolean =
    haveVectors(call(call(index, "preparedScan"), "files"))

  private def haveVectors(files: AnyRef): Boolean = files match {
    case files: Seq[AnyRef @unchecked] =>
      val vectorOf = getter("deletionVector")
      files.exists(vectorOf(_) != null)
    case other => throw new IllegalStateException(s"Files of Delta Lake: $other")
  }
}
