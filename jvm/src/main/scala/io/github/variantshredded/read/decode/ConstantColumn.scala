package io.github.variantshredded.read.decode

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.read.vector.NullVector
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Holds a column with the same value in every row of the file: a missing column, or a partition
 * value.
 */
private[read] final class ConstantColumn(override val vector: ColumnVector) extends OutputColumn {
  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = ()
  override def readBatch(rows: Int): Unit = ()
  override def close(): Unit = vector.close()
}

private[read] object ConstantColumn {

  /**
   * Creates the column of a value of a row.
   *
   * @param dataType
   *   an atomic type
   */
  def of(dataType: DataType, values: InternalRow, ordinal: Int): ConstantColumn =
    new ConstantColumn(vectorOf(dataType, values, ordinal))

  private def vectorOf(
      dataType: DataType,
      values: InternalRow,
      ordinal: Int
  ): ConstantColumnVector =
    if (values.isNullAt(ordinal)) NullVector(dataType)
    else {
      val vector = new ConstantColumnVector(1, dataType)
      dataType match {
        case BooleanType => vector.setBoolean(values.getBoolean(ordinal))
        case ByteType    => vector.setByte(values.getByte(ordinal))
        case ShortType   => vector.setShort(values.getShort(ordinal))
        case IntegerType | DateType | _: YearMonthIntervalType =>
          vector.setInt(values.getInt(ordinal))
        case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType | _: TimeType =>
          vector.setLong(values.getLong(ordinal))
        case FloatType            => vector.setFloat(values.getFloat(ordinal))
        case DoubleType           => vector.setDouble(values.getDouble(ordinal))
        case _: StringType        => vector.setUtf8String(values.getUTF8String(ordinal))
        case BinaryType           => vector.setBinary(values.getBinary(ordinal))
        case decimal: DecimalType =>
          vector.setDecimal(
            values.getDecimal(ordinal, decimal.precision, decimal.scale),
            decimal.precision
          )
        case other =>
          throw VariantShreddedErrors.unsupported(
            s"A partition column of type ${other.catalogString}",
            "Partition by a column of an atomic type."
          )
      }
      vector
    }
}
