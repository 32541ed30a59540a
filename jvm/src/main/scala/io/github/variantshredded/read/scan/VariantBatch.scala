package io.github.variantshredded.read.scan

import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}

/**
 * Plans and reads the files of a scan. Two are equal if they give the same rows, whatever EXPLAIN
 * says of the scans, so that Spark reads the files once where a query has the same scan twice.
 */
private[scan] final class VariantBatch(scan: VariantScan) extends Batch {

  private lazy val withoutReasons =
    if (scan.pushed.declined.isEmpty) scan
    else scan.copy(pushed = scan.pushed.copy(declined = Nil))

  override def planInputPartitions(): Array[InputPartition] = scan.planInputPartitions()

  override def createReaderFactory(): PartitionReaderFactory = scan.createReaderFactory()

  override def equals(other: Any): Boolean = other match {
    case that: VariantBatch => withoutReasons == that.withoutReasons
    case _                  => false
  }

  override def hashCode(): Int = scan.hashCode()

  override def toString: String = scan.toString
}
