package io.github.variantshredded.read.file

import io.github.variantshredded.extraction.{
  ExtractionErrors,
  ExtractionResult,
  PathStep,
  ScanExtraction
}
import io.github.variantshredded.extraction.Extractable.SubVariant
import io.github.variantshredded.read.columns.{FileColumns, RequestedColumns}
import io.github.variantshredded.read.decode.ConstantColumn
import io.github.variantshredded.read.demand.LeafDemand
import io.github.variantshredded.read.footer.{LeafIndex, NullCounts}
import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/**
 * Makes the summary rows of the row groups of a file, from the statistics in its footer.
 *
 * A row group has summary rows if each column is stored in one leaf column alone, because all
 * others that may hold its values are all null, and the statistics of this leaf column are
 * complete.
 *
 * @param requested
 *   the columns of the scan
 * @param columnsOf
 *   resolves columns in the file
 * @param leafIndexOf
 *   finds the chunks of leaf columns
 * @param partitionValues
 *   the columns between the data columns and the counts
 */
private[file] final class RowGroupSummaries(
    plan: SummaryPlan,
    requested: RequestedColumns,
    columnsOf: RequestedColumns => FileColumns,
    leafIndexOf: Set[Seq[String]] => LeafIndex,
    partitionValues: Seq[ConstantColumn]
) extends AutoCloseable {
  import RowGroupSummaries._

  private val sources: Seq[Option[Source]] = plan.columns.map(source)

  private def vectors(types: Seq[DataType]) = types.map(new OnHeapColumnVector(2, _)).toArray

  private val data = vectors(requested.data.map(_.dataType))
  private val counts = vectors(plan.countFields.map(_.dataType))
  private val extracted = vectors(requested.extractions.map(_.what.dataType))
  private val errors =
    vectors(if (extracted.isEmpty) Nil else Seq(ExtractionErrors.ColumnType))

  private val batch = new ColumnarBatch(
    (data ++ partitionValues.map(_.vector) ++ counts ++ extracted ++ errors)
      .map(vector => vector: ColumnVector)
  )

  /** Returns the summary rows of a row group, or None if its rows have to be decoded. */
  def of(rowGroup: BlockMetaData): Option[ColumnarBatch] = {
    val found = plan.columns.zip(sources).map { case (column, source) =>
      source.flatMap(_.summary(rowGroup, column))
    }
    if (found.forall(_.isDefined) && holdsForAll(found.flatten)) {
      write(rowGroup.getRowCount, found.flatten)
      Some(batch)
    } else {
      None
    }
  }

  /** Returns whether all rows meet the predicates. */
  private def holdsForAll(columns: Seq[Summary]): Boolean = plan.predicates.isEmpty || {
    val least: InternalRow = new GenericInternalRow(columns.map(_.least).toArray[Any])
    val greatest = new GenericInternalRow(columns.map(_.greatest).toArray[Any])
    plan.predicates.forall { predicate =>
      val compared = predicate.collect { case column: BoundReference => columns(column.ordinal) }
      compared.forall(column => column.values == column.rows) &&
      Seq(least, greatest).forall(row => predicate.eval(row) == true)
    }
  }

  private def write(rows: Long, columns: Seq[Summary]): Unit = {
    (data ++ counts ++ extracted ++ errors).foreach { vector =>
      vector.reset()
      vector.putNulls(0, 2)
    }
    put(counts.head, rows, 0L)
    plan.columns.zip(columns).zip(counts.tail).foreach { case ((column, summary), count) =>
      put(count, summary.values, 0L)
      if (column.needsBounds && summary.values > 0) {
        val target = column match {
          case SummaryPlan.OfData(index, _, _)       => data(index)
          case SummaryPlan.OfExtraction(index, _, _) => extracted(index)
        }
        put(target, summary.least, summary.greatest)
      }
    }
    batch.setNumRows(if (plan.columns.exists(_.needsBounds)) 2 else 1)
  }

  private def source(column: SummaryPlan.Column): Option[Source] = column match {
    case ofData: SummaryPlan.OfData            => dataSource(ofData)
    case SummaryPlan.OfExtraction(index, _, _) =>
      val asked = requested.extractions(index)
      asked.what match {
        case ExtractionResult.IsPresent if asked.path.isEmpty => presence(asked)
        case ExtractionResult.IsPresent => extractionSource(asked.copy(what = SubVariant), column)
        case _                          => extractionSource(asked, column)
      }
  }

  private def dataSource(column: SummaryPlan.OfData): Option[Source] = {
    val columns = columnsOf(
      requested.copy(
        data = StructType(Seq(requested.data(column.index))),
        extractedVariants = new StructType,
        extractions = Nil
      )
    )
    columns
      .stored(0)
      .filter(_.isPrimitive)
      .flatMap(_.descriptor)
      .filter(leaf => ExactBounds.isRead(leaf.getPrimitiveType, column.dataType))
      .flatMap(sourceOf(_, columns, column, names = None))
  }

  private def extractionSource(
      asked: ScanExtraction,
      column: SummaryPlan.Column
  ): Option[Source] = {
    val columns = only(asked)
    typedLeaf(columns, asked.path).flatMap(
      sourceOf(_, columns, column, columns.source(0).group.flatMap(_.metadata))
    )
  }

  /** Returns the source of whether a Variant is SQL NULL: the `metadata` column, if it is required. */
  private def presence(asked: ScanExtraction): Option[Source] =
    for {
      group <- only(asked).source(0).group
      metadata <- group.metadata
      if metadata.descriptor.getMaxDefinitionLevel == group.levels.definition
      if metadata.descriptor.getMaxRepetitionLevel == 0
    } yield {
      val path: Seq[String] = metadata.descriptor.getPath.toIndexedSeq
      new Source(metadata.descriptor, _ => Set.empty, leafIndexOf(Set(path)))
    }

  private def only(asked: ScanExtraction): FileColumns =
    columnsOf(requested.copy(data = new StructType, extractions = Seq(asked)))

  /**
   * Returns the source of a column's summaries; None if its type or its nesting is not supported.
   *
   * @param names
   *   the `metadata` column, which has the names of fields, but no values
   */
  private def sourceOf(
      leaf: ColumnDescriptor,
      columns: FileColumns,
      column: SummaryPlan.Column,
      names: Option[VariantLeaf]
  ): Option[Source] = {
    val isSupported =
      if (column.needsBounds) ExactBounds.supports(leaf.getPrimitiveType, column.dataType)
      else ExactBounds.countable(leaf.getPrimitiveType, column.dataType)
    Option.when(leaf.getMaxRepetitionLevel == 0 && isSupported) {
      def pathOf(leaf: ColumnDescriptor): Seq[String] = leaf.getPath.toIndexedSeq
      val known = names.map(name => pathOf(name.descriptor)).toSet + pathOf(leaf)
      new Source(leaf, columns.leaves -- known -- columns.skipped(_), leafIndexOf(columns.leaves))
    }
  }

  /** Returns the only typed column at the path of an extraction. */
  private def typedLeaf(columns: FileColumns, path: Seq[PathStep]): Option[ColumnDescriptor] =
    columns.source(0).group.flatMap { group =>
      path
        .foldLeft(Option(group.root)) { (position, step) =>
          position.flatMap(LeafDemand.below(_, step))
        }
        .flatMap(_.typedValue)
        .collect { case TypedValue.Primitive(leaf, _) => leaf.descriptor }
    }

  override def close(): Unit = batch.close()
}

private object RowGroupSummaries {

  /**
   * Holds what the statistics say about a column in a row group.
   *
   * @param values
   *   number of values that are not null
   * @param least
   *   null if it is not needed or there are no values
   */
  private final case class Summary(rows: Long, values: Long, least: Any, greatest: Any)

  /**
   * Says where a file stores a column.
   *
   * @param leaf
   *   the leaf column that has all of the values if the other ones are all null
   * @param others
   *   the other leaf columns that may have values, if those given are all null
   */
  private final class Source(
      leaf: ColumnDescriptor,
      others: Set[Seq[String]] => Set[Seq[String]],
      leafIndex: LeafIndex
  ) {
    private val path: Seq[String] = leaf.getPath.toIndexedSeq

    def summary(rowGroup: BlockMetaData, column: SummaryPlan.Column): Option[Summary] = {
      val chunks = leafIndex.paths.zip(leafIndex.chunks(rowGroup)).toMap
      def isComplete = chunks.values.forall(_ != null)
      def allNull = chunks.collect { case (other, chunk) if NullCounts.isAllNull(chunk) => other }
      def isAlone = (others(allNull.toSet) -- allNull).isEmpty
      if (isComplete && isAlone) chunks.get(path).flatMap(summary(rowGroup.getRowCount, _, column))
      else None
    }

    private def summary(
        rows: Long,
        chunk: ColumnChunkMetaData,
        column: SummaryPlan.Column
    ): Option[Summary] = {
      val statistics: Statistics[_] = chunk.getStatistics
      NullCounts.of(statistics).filter(_ <= rows && chunk.getValueCount == rows).flatMap { nulls =>
        val values = rows - nulls
        val hasBounds = ExactBounds.supports(leaf.getPrimitiveType, column.dataType)
        if (values == 0) {
          Option.unless(statistics.hasNonNullValue)(Summary(rows, values, null, null))
        } else if (!hasBounds) {
          Some(Summary(rows, values, null, null))
        } else if (statistics.hasNonNullValue) {
          ExactBounds.of(leaf.getPrimitiveType, statistics, column.dataType).map {
            case (least, greatest) => Summary(rows, values, least, greatest)
          }
        } else {
          None
        }
      }
    }
  }

  private def put(vector: OnHeapColumnVector, first: Any, second: Any): Unit =
    Seq(first, second).zipWithIndex.foreach { case (value, row) =>
      vector.putNotNull(row)
      value match {
        case value: Boolean => vector.putBoolean(row, value)
        case value: Byte    => vector.putByte(row, value)
        case value: Short   => vector.putShort(row, value)
        case value: Int     => vector.putInt(row, value)
        case value: Long    => vector.putLong(row, value)
        case value: Decimal => vector.putDecimal(row, value, value.precision)
        case other          => throw new IllegalArgumentException(s"Not a bound: $other")
      }
    }
}
