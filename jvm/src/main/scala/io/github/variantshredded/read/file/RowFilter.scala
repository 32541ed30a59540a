package io.github.variantshredded.read.file

import scala.util.control.NonFatal

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.pages.RowSelection
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Predicate, UnsafeProjection}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/**
 * Tells which rows of a row group meet a conjunct, by decoding what it looks at.
 *
 * @param newDecoder
 *   makes the decoder of the conjunct's columns and extractions
 */
private[read] final class RowFilter(
    conjunct: Conjunct,
    newDecoder: () => BatchDecoder
) extends AutoCloseable {

  private var opened = Option.empty[BatchDecoder]

  private lazy val decoder: BatchDecoder = {
    val made = newDecoder()
    opened = Some(made)
    made
  }

  // The columns, the extractions, and behind them the errors of those.
  private val errors = conjunct.columns.size + conjunct.extractions.size
  private val hasErrors = conjunct.extractions.nonEmpty

  private lazy val predicate: BasePredicate = {
    val created = Predicate.create(conjunct.condition)
    created.initialize(0)
    created
  }

  // Spark's functions on arrays take no notice of nulls in those of column batches.
  private lazy val copy: Option[UnsafeProjection] = {
    val types = conjunct.columns.map(_.dataType) ++ conjunct.extractions.map(_.what.dataType)
    Option.when(types.exists(hasArray))(UnsafeProjection.create(types.toArray))
  }

  /** Share of the rows that were kept lately; unknown at first. */
  private var keptShare = -1.0

  /** Whether an evaluation raised an error: from there on every row is kept. */
  private var hasFailed = false

  /** Row groups for which the conjunct has not been evaluated in a row. */
  private var passed = 0

  /** Goes on to a row group. */
  def startRowGroup(index: Int): Unit = decoder.startRowGroup(index)

  /** Compressed bytes that are read to evaluate it in the row group. */
  def size: Long = decoder.size

  /** The share of rows that are expected to be kept. */
  def expectedShare: Double = if (keptShare < 0) 0.0 else keptShare

  /**
   * The rows of `selection` that meet the conjunct, or for which it cannot be evaluated without an
   * error. All of them if the first that are looked at show that it drops too few.
   *
   * @param enough
   *   share of rows kept from which on it is not worth while
   */
  def select(selection: RowSelection, enough: Double): RowSelection =
    if (selection.isEmpty || enough <= 0 || hasFailed) selection
    else if (keptShare >= enough && passed < RowFilter.RetryAfter) {
      passed += 1
      selection
    } else if (!decoder.canSelect) {
      keep(RowSelection.all(decoder.rowCount)).intersect(selection)
    } else {
      val first = keep(selection.take(RowFilter.Sample))
      val rest = selection.drop(RowFilter.Sample)
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
      var slot = 0
      while (slot < decoder.batch.numRows) {
        val row = numbers.nextLong()
        if (isKept(slot)) kept.add(row, row + 1)
        slot += 1
      }
    }
    val result = kept.result()
    keptShare = result.size.toDouble / selection.size
    result
  }

  private def isKept(slot: Int): Boolean =
    (hasErrors && !decoder.batch.column(errors).isNullAt(slot)) || {
      try hasFailed || predicate.eval(row(slot))
      catch {
        // Spark evaluates it once more, if it comes to this row, and raises.
        case NonFatal(_) =>
          hasFailed = true
          true
      }
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

private[read] object RowFilter {

  /** Rows after which it is known whether a conjunct is worth while. */
  private final val Sample = 16384L

  /** Row groups after which a conjunct that was not worth while is tried again. */
  private final val RetryAfter = 8
}
