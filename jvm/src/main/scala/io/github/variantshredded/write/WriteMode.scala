package io.github.variantshredded.write

import io.github.variantshredded.directory.PartitionDirectories

/** Says what a write does with the existing files. */
private[write] sealed trait WriteMode {

  /** Returns whether none of the existing files is kept. */
  final def replacesAll: Boolean = this match {
    case WriteMode.Replace(filter) => filter.isAll
    case _                         => false
  }

  /** Returns whether the write adds files and replaces none. */
  final def addsFiles: Boolean = this match {
    case WriteMode.Append | WriteMode.Create                   => true
    case _: WriteMode.Replace | _: WriteMode.ReplacePartitions => false
  }
}

private[write] object WriteMode {

  /** The existing files are kept. */
  case object Append extends WriteMode

  /** There must be no existing files, neither now nor when the job commits. */
  case object Create extends WriteMode

  /** The files in the partitions that `filter` selects are replaced. */
  final case class Replace(filter: PartitionFilter) extends WriteMode

  /**
   * The files in partitions that get new rows are replaced, if `filter` selects the partition.
   *
   * @param directories
   *   the partition columns, if their types are declared: then the partitions with the same values
   *   are replaced, in whatever way these are written
   */
  final case class ReplacePartitions(
      directories: Option[PartitionDirectories],
      filter: PartitionFilter
  ) extends WriteMode
}
