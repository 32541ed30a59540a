package io.github.variantshredded.read.file

import scala.util.control.NonFatal

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.pages.{ByteRange, RowSelection}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Predicate, UnsafeProjection}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/**
 * Finds the rows of a row group that meet a conjunct, by decoding the columns of the conjunct and
 * evaluating it.
 *
 * @param newDecoder
 *   creates the decoder of the conjunct's columns and extractions
 */
private[read] final class ConjunctEvaluator(
    conjunct: Conjunct,
    newDecoder: () => BatchDecoder
) extends AutoCloseable {

  private var opened = Option.empty[BatchDecoder]

  private lazy val decoder: BatchDecoder = {
    val made = newDecoder()
    opened = Some(made)
    made
  }

  // The index of the errors' column: it follows the columns and the extractions.
  private val errors = conjunct.columns.size + conjunct.extractions.size
  private val hasErrors = conjunct.extractions.nonEmpty

  private lazy val predicate: BasePredicate = {
    val created = Predicate.create(conjunct.predicate)
    created.initialize(0)
    created
  }

  private val equality = StringEquality.of(conjunct.predicate)

  // Spark's array functions ignore the nulls of arrays in column batches, so such rows are copied.
  private lazy val copy: Option[UnsafeProjection] = {
    val types = conjunct.columns.map(_.dataType) ++ conjunct.extractions.map(_.what.dataType)
    Option.when(types.exists(hasArray))(UnsafeProjection.create(types.toArray))
  }

  /** The share of rows that the last evaluation kept; negative before the first. */
  private var keptShare = -1.0

  /** True if an evaluation raised an error. From then on, every row is kept. */
  private var hasFailed = false

  /** The number of consecutive row groups for which the conjunct was not evaluated. */
  private var passed = 0

  /** Moves to a row group. */
  def startRowGroup(index: Int): Unit = decoder.startRowGroup(index)

  /**
   * Returns the compressed bytes that evaluating the conjunct on the whole row group would read.
   */
  def size: Long = decoder.size

  /** Returns the bytes that evaluating the conjunct on rows of a row group would read. */
  def ranges(rowGroup: Int, selection: RowSelection): Seq[ByteRange] =
    decoder.ranges(rowGroup, selection)

  /** Returns the share of rows that are expected to be kept. */
  def expectedShare: Double = if (keptShare < 0) 0.0 else keptShare

  /**
   * Returns the rows of `selection` that meet the conjunct, or for which its evaluation raises an
   * error. If the first rows show that the conjunct drops too few rows, all other rows are kept
   * without evaluation.
   *
   * @param enough
   *   the share of kept rows from which on evaluation does not pay
   */
  def select(selection: RowSelection, enough: Double): RowSelection =
    if (selection.isEmpty || enough <= 0 || hasFailed) selection
    else if (keptShare >= enough && passed < ConjunctEvaluator.RetryAfter) {
      passed += 1
      selection
    } else if (!decoder.canSelect) {
      keep(RowSelection.all(decoder.rowCount)).intersect(selection)
    } else {
      val first = keep(selection.take(ConjunctEvaluator.Sample))
      val rest = selection.drop(ConjunctEvaluator.Sample)
      if (rest.isEmpty) first
      else if (keptShare >= enough) first.union(rest)
      else first.union(keep(rest))
    }

  private def keep(selection: RowSelection): RowSelection = {
    passed = 0
    decoder.startRows(selection)
    val kept = new RowSelection.Builder
    val numbers = selection.iterator
    while (decoder.rowsLeft > 0) {
      decoder.readBatch()
      val mayMeet = equality.fold(StringEquality.All)(_.candidates(decoder.batch))
      var slot = 0
      while (slot < decoder.batch.numRows) {
        val row = numbers.nextLong()
        if (hasError(slot) || (mayMeet(slot) && meets(slot))) kept.add(row, row + 1)
        slot += 1
      }
    }
    val result = kept.result()
    keptShare = result.size.toDouble / selection.size
    result
  }

  private def hasError(slot: Int): Boolean =
    hasErrors && !decoder.batch.column(errors).isNullAt(slot)

  private def meets(slot: Int): Boolean =
    try hasFailed || predicate.eval(row(slot))
    catch {
      // Spark evaluates the predicate again. If it reaches this row, it raises the error.
      case NonFatal(_) =>
        hasFailed = true
        true
    }

  private def row(slot: Int): InternalRow = {
    val columnar = decoder.batch.getRow(slot)
    copy.fold(columnar)(_(columnar))
  }

  private def hasArray(dataType: DataType): Boolean = dataType match {
    case _: ArrayType | _: MapType => true
    case struct: StructType        => struct.exists(field => hasArray(field.dataType))
    case _                         => false
  }

  override def close(): Unit = opened.foreach(_.close())
}

private[read] object ConjunctEvaluator {

  /** The number of rows after which it is decided whether evaluating a conjunct pays. */
  private final val Sample = 4096L

  /** The number of row groups after which a conjunct that did not pay is evaluated again. */
  private final val RetryAfter = 8
}
