package io.github.variantshredded.read.file

import io.github.variantshredded.spark.Conjunction
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  EqualTo,
  Expression,
  IsNotNull,
  Literal
}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

/**
 * Rules out rows that cannot meet the equality predicate of a string column, by the length and the
 * last bytes of the strings. Spark's evaluation makes an object for each string.
 *
 * @param column
 *   the index of the column in the batch
 * @param value
 *   the bytes that the strings are compared with
 */
private[read] final class StringEquality(column: Int, value: Array[Byte]) {

  // Strings such as identifiers begin alike and end differently.
  private val compared = math.min(value.length, StringEquality.Compared)

  /** Returns a test of the rows of a batch: false if the row at a slot cannot meet the predicate. */
  def candidates(batch: ColumnarBatch): Int => Boolean = batch.column(column) match {
    case strings: WritableColumnVector if !strings.hasDictionary =>
      slot => !strings.isNullAt(slot) && mayEqual(strings, slot)
    case _ => StringEquality.All
  }

  private def mayEqual(strings: WritableColumnVector, slot: Int): Boolean =
    strings.getArrayLength(slot) == value.length && {
      val end = strings.getArrayOffset(slot) + value.length
      val bytes = strings.arrayData
      var i = 1
      while (i <= compared && bytes.getByte(end - i) == value(value.length - i)) i += 1
      i > compared
    }
}

private[read] object StringEquality {

  /** The number of bytes at the end of a string that are compared. */
  private final val Compared = 8

  /** The test that rules out no row. */
  val All: Int => Boolean = _ => true

  /**
   * Finds the equality predicate of a string column in a predicate, without which no row meets it.
   *
   * @return
   *   None if there is none, or if another part of the predicate may raise an error in rows that do
   *   not meet it
   */
  def of(predicate: Expression): Option[StringEquality] = {
    val found = Conjunction.split(predicate).collect {
      case EqualTo(BoundReference(column, StringType, _), Literal(value: UTF8String, StringType)) =>
        Some(new StringEquality(column, value.getBytes))
      case EqualTo(Literal(value: UTF8String, StringType), BoundReference(column, StringType, _)) =>
        Some(new StringEquality(column, value.getBytes))
      case part if !isNullTest(part) => None
    }
    if (found.forall(_.isDefined)) found.flatten.headOption else None
  }

  private def isNullTest(part: Expression): Boolean = part match {
    case IsNotNull(_: BoundReference) => true
    case _                            => false
  }
}
