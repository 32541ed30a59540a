package io.github.variantshredded.read.skip

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * Decodes values in the encoding PLAIN, with strings without their length, as statistics store
 * them.
 */
private[skip] object PlainValue {

  /**
   * Returns the value as Boolean, Int, Long, Float, Double or Array[Byte]; None if the bytes are
   * not a value of the type.
   */
  def decode(physical: PrimitiveType, bytes: Array[Byte]): Option[Any] =
    physical.getPrimitiveTypeName match {
      case BOOLEAN              => ofSize(bytes, 1).map(_.get() != 0)
      case INT32                => ofSize(bytes, 4).map(_.getInt())
      case INT64                => ofSize(bytes, 8).map(_.getLong())
      case FLOAT                => ofSize(bytes, 4).map(_.getFloat())
      case DOUBLE               => ofSize(bytes, 8).map(_.getDouble())
      case BINARY               => Option(bytes)
      case FIXED_LEN_BYTE_ARRAY => ofSize(bytes, physical.getTypeLength).map(_ => bytes)
      case _                    => None
    }

  /** Returns a stored INT32 or INT64 as a Long. */
  def integer(stored: Any): Option[Long] = stored match {
    case number: Int  => Some(number.toLong)
    case number: Long => Some(number)
    case _            => None
  }

  private def ofSize(bytes: Array[Byte], size: Int): Option[ByteBuffer] =
    Option.when(bytes != null && bytes.length == size)(
      ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    )
}
