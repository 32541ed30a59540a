package io.github.variantshredded.read.inspect

import java.util.{EnumSet, Set => JSet}

import io.github.variantshredded.read.options.ReadMetric
import io.github.variantshredded.read.scan.VariantScan
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/**
 * Shows what the scans of a query read of Variants, and how many bytes:
 * `spark.read.format("variant-shredded-query")`.
 *
 * @param scans
 *   the scans, as Spark has planned them
 */
private[variantshredded] final class QueryTable(scans: Seq[VariantScan])
    extends Table
    with SupportsRead {

  override def name(): String = "what a query reads"

  override def schema(): StructType = QueryTable.Schema

  override def capabilities(): JSet[TableCapability] = EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new PrunedScanBuilder(QueryTable.Schema, new QueryScan(scans, _))
}

private[variantshredded] object QueryTable {

  /**
   * The columns. There is one row per use of a path ([[QueryUse]]), and one per split with its
   * bytes.
   */
  val Schema: StructType = new StructType()
    .add("use", StringType)
    .add("column", StringType)
    .add("path", StringType)
    .add("type", StringType)
    .add(Bytes, LongType)

  /**
   * The column of the compressed bytes that a split reads. The scans run only if it is requested.
   */
  final val Bytes = "bytes"

  /**
   * The maximum number of splits to run. If a scan has more, evenly chosen splits stand for all.
   */
  final val MaxSplits = 64
}

/**
 * Describes the work of one task.
 *
 * @param uses
 *   the rows that it returns, if it has no split
 * @param scan
 *   index of the scan that the split belongs to
 * @param split
 *   the split to read; None if the task only returns `uses`
 * @param weight
 *   the number of splits that this split stands for, weighted by their length
 */
private final case class QueryPart(
    uses: Seq[QueryUse],
    scan: Int,
    split: Option[InputPartition],
    weight: Double
) extends InputPartition

/** Plans the rows of [[QueryTable]], and which splits of the scans run for them. */
private final class QueryScan(scans: Seq[VariantScan], wanted: StructType) extends Scan with Batch {
  private val isRun = wanted.fieldNames.contains(QueryTable.Bytes)

  override def readSchema(): StructType = wanted

  override def description(): String =
    s"variant-shredded-query, ${wanted.fieldNames.mkString("columns [", ", ", "]")}"

  override def toBatch(): Batch = this

  override def planInputPartitions(): Array[InputPartition] = {
    val uses = QueryPart(scans.flatMap(QueryUse.of).distinct, 0, None, 1)
    val splits = if (isRun) scans.zipWithIndex.flatMap { case (s, i) => splitsOf(s, i) } else Nil
    (uses +: splits).toArray
  }

  private def splitsOf(scan: VariantScan, index: Int): Seq[QueryPart] = {
    val all = scan.planInputPartitions().toSeq
    val every = (all.size + QueryTable.MaxSplits - 1) / QueryTable.MaxSplits
    val chosen = if (every <= 1) all else all.indices.by(every).map(all)
    val weight = length(all).toDouble / math.max(1L, length(chosen))
    chosen.map(split => QueryPart(Nil, index, Some(split), weight))
  }

  private def length(splits: Seq[InputPartition]): Long = splits.collect {
    case split: FilePartition => split.files.map(_.length).sum
  }.sum

  override def createReaderFactory(): PartitionReaderFactory =
    new QueryReaderFactory(if (isRun) scans.map(_.createReaderFactory()) else Nil, wanted)
}

/** Makes the readers of the rows of [[QueryTable]], which run the splits in the tasks. */
private final class QueryReaderFactory(factories: Seq[PartitionReaderFactory], wanted: StructType)
    extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    partition match {
      case QueryPart(uses, _, None, _)            => new RowsReader(uses.iterator.map(row))
      case part @ QueryPart(_, _, Some(split), _) =>
        new RowsReader(Iterator.single(part).map(_ => row(part, split)))
      case other => throw new IllegalArgumentException(s"Not a part of a query: $other")
    }

  private def row(use: QueryUse): InternalRow = select {
    case "use"    => UTF8String.fromString(use.use)
    case "column" => UTF8String.fromString(use.column)
    case "path"   => UTF8String.fromString(use.path)
    case "type"   => UTF8String.fromString(use.dataType)
    case _        => null
  }

  private def row(part: QueryPart, split: InputPartition): InternalRow = {
    val bytes = math.round(bytesOf(factories(part.scan), split) * part.weight)
    select {
      case QueryTable.Bytes => bytes
      case _                => null
    }
  }

  private def select(value: String => Any): InternalRow =
    new GenericInternalRow(wanted.fieldNames.map(value))

  private def bytesOf(factory: PartitionReaderFactory, split: InputPartition): Long = {
    val reader = factory.createColumnarReader(split)
    try {
      while (reader.next()) {
        val _ = reader.get()
      }
      val name = ReadMetric.BytesRead
      reader.currentMetricsValues().iterator.filter(_.name() == name).map(_.value()).sum
    } finally reader.close()
  }
}

/** Returns rows that are known already, or that are computed when they are requested. */
private final class RowsReader(rows: Iterator[InternalRow]) extends PartitionReader[InternalRow] {
  private var row = Option.empty[InternalRow]

  override def next(): Boolean = {
    row = rows.nextOption()
    row.isDefined
  }

  override def get(): InternalRow = row.get

  override def close(): Unit = ()
}
