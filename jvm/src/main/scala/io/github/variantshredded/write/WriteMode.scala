package io.github.variantshredded.write

/** What becomes of the files that are there already. */
private[write] sealed trait WriteMode

private[write] object WriteMode {

  /** They stay. */
  case object Append extends WriteMode

  /** There must not be any, by the time the job commits either. */
  case object Create extends WriteMode

  /** They are replaced, all or those in partitions that `filter` takes. */
  final case class Replace(filter: PartitionFilter) extends WriteMode

  /** Those in partitions that get new rows are replaced. */
  case object ReplacePartitions extends WriteMode
}
