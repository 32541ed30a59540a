package io.github.variantshredded.write.shred

import java.math.BigInteger
import java.nio.ByteBuffer
import java.util.UUID

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.example.data.Group
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * Rebuilds Variants by the pseudo code of the section "Reconstructing a Shredded Variant", slowly and
 * without code of the product. What writers must not produce fails.
 */
object Unshredding {

  /** The Variant of a group that is one. */
  def variant(group: Group): VariantTree = {
    val metadata = group.getBinary("metadata", 0).getBytes
    construct(group, metadata).getOrElse(throw new AssertionError("the topmost value is missing"))
  }

  private def construct(group: Group, metadata: Array[Byte]): Option[VariantTree] = {
    val value = present(group, "value").map { _ =>
      VariantTree.decode(metadata, group.getBinary("value", 0).getBytes)
    }
    present(group, "typed_value")
      .map { field =>
        if (field.isPrimitive) {
          assert(value.isEmpty, "value and typed_value of a primitive")
          primitive(group, field.asPrimitiveType)
        } else {
          val typed = group.getGroup("typed_value", 0)
          if (field.getLogicalTypeAnnotation != null) {
            assert(value.isEmpty, "value and typed_value of an array")
            array(typed, metadata)
          } else fields(typed, value, metadata)
        }
      }
      .orElse {
        val isShreddedObject = group.getType.containsField("typed_value") && {
          val typed = group.getType.getType("typed_value")
          !typed.isPrimitive && typed.getLogicalTypeAnnotation == null
        }
        assert(
          !isShreddedObject || !value.exists(_.isInstanceOf[Obj]),
          "typed_value is null for an object"
        )
        value
      }
  }

  private def fields(
      typed: Group,
      value: Option[VariantTree],
      metadata: Array[Byte]
  ): VariantTree = {
    val type_ = typed.getType
    val shredded = (0 until type_.getFieldCount).flatMap { i =>
      // Without a group both columns are null, which says the same.
      if (typed.getFieldRepetitionCount(i) == 0) None
      else construct(typed.getGroup(i, 0), metadata).map(type_.getFieldName(i) -> _)
    }
    value match {
      case None            => Obj(shredded.toVector)
      case Some(Obj(rest)) =>
        assert(rest.nonEmpty, "an empty object in value")
        rest.foreach { case (name, _) =>
          assert(!type_.containsField(name), s"the shredded field '$name' is present in value")
        }
        Obj(shredded.toVector ++ rest)
      case Some(other) => throw new AssertionError(s"typed_value is present, value is $other")
    }
  }

  private def array(typed: Group, metadata: Array[Byte]): VariantTree =
    Arr((0 until typed.getFieldRepetitionCount("list")).map { i =>
      construct(typed.getGroup("list", i).getGroup("element", 0), metadata)
        .getOrElse(throw new AssertionError(s"element $i is missing"))
    }.toVector)

  private def present(group: Group, name: String) =
    if (!group.getType.containsField(name) || group.getFieldRepetitionCount(name) == 0) None
    else Some(group.getType.getType(name))

  private[write] def primitive(group: Group, type_ : PrimitiveType): VariantTree = {
    def int = group.getInteger("typed_value", 0)
    def long = group.getLong("typed_value", 0)
    def bytes = group.getBinary("typed_value", 0).getBytes
    (type_.getPrimitiveTypeName, type_.getLogicalTypeAnnotation) match {
      case (BOOLEAN, null) => Bool(group.getBoolean("typed_value", 0))
      case (INT32, null)   => Int32(int)
      case (INT32, i: IntLogicalTypeAnnotation) if i.getBitWidth == 8 =>
        Int8(exactly(int, int.toByte))
      case (INT32, _: IntLogicalTypeAnnotation)       => Int16(exactly(int, int.toShort))
      case (INT64, null)                              => Int64(long)
      case (FLOAT, null)                              => Flt(group.getFloat("typed_value", 0))
      case (DOUBLE, null)                             => Dbl(group.getDouble("typed_value", 0))
      case (INT32, d: DecimalLogicalTypeAnnotation)   => decimal(BigInteger.valueOf(int.toLong), d)
      case (INT64, d: DecimalLogicalTypeAnnotation)   => decimal(BigInteger.valueOf(long), d)
      case (_, d: DecimalLogicalTypeAnnotation)       => decimal(new BigInteger(bytes), d)
      case (INT32, _: DateLogicalTypeAnnotation)      => Date(int)
      case (INT64, _: TimeLogicalTypeAnnotation)      => Time(long)
      case (INT64, t: TimestampLogicalTypeAnnotation) =>
        (t.getUnit == TimeUnit.MICROS, t.isAdjustedToUTC) match {
          case (true, true)   => TimestampMicros(long)
          case (true, false)  => TimestampNtzMicros(long)
          case (false, true)  => TimestampNanos(long)
          case (false, false) => TimestampNtzNanos(long)
        }
      case (BINARY, null)                                       => Binary(bytes.toVector)
      case (BINARY, _: StringLogicalTypeAnnotation)             => Str(new String(bytes, "UTF-8"))
      case (FIXED_LEN_BYTE_ARRAY, _: UUIDLogicalTypeAnnotation) =>
        val buffer = ByteBuffer.wrap(bytes)
        Uuid(new UUID(buffer.getLong, buffer.getLong))
      case other => throw new AssertionError(s"not a shredded type: $other")
    }
  }

  private def decimal(
      unscaled: BigInteger,
      annotation: DecimalLogicalTypeAnnotation
  ): VariantTree = {
    assert(unscaled.abs.compareTo(BigInteger.TEN.pow(annotation.getPrecision)) < 0)
    Decimal16(unscaled, annotation.getScale)
  }

  private def exactly[T](stored: Int, narrow: T)(implicit number: Numeric[T]): T = {
    assert(number.toInt(narrow) == stored, s"$stored does not fit its column")
    narrow
  }
}
