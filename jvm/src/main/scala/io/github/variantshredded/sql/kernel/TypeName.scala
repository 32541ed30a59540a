package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.{VariantConstants, VariantReader}
import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Returns the name of a Variant's type.
 *
 * @param json
 *   whether the name is one of the six types of JSON
 */
private[sql] final case class TypeName(json: Boolean) extends VariantKernel {
  override def fresh: VariantKernel = copy()

  override def apply(arguments: Array[AnyRef]): AnyRef = {
    val variant = arguments(0).asInstanceOf[VariantVal]
    if (variant == null) null
    else {
      val kind = VariantArguments.kind(variant)
      val names = if (json) TypeName.json else TypeName.sql
      names(
        if (kind >= VariantReader.ObjectKind) kind - VariantReader.ObjectKind + Uuid + 1 else kind
      )
    }
  }
}

private[sql] object TypeName {

  // By kind; objects and arrays follow the last primitive type, UUID.
  private val kinds: Seq[Int] =
    (Null to Uuid) :+ VariantReader.ObjectKind :+ VariantReader.ArrayKind

  private val sql: Array[UTF8String] = names {
    case Null                                             => "NULL_VALUE"
    case True | False                                     => "BOOLEAN"
    case Int8 | Int16 | Int32 | Int64                     => "INTEGER"
    case VariantConstants.Float | VariantConstants.Double => "DOUBLE"
    case Decimal4 | Decimal8 | Decimal16                  => "DECIMAL"
    case Date                                             => "DATE"
    case TimestampMicros | TimestampNanos                 => "TIMESTAMP_LTZ"
    case TimestampNtzMicros | TimestampNtzNanos           => "TIMESTAMP_NTZ"
    case TimeNtzMicros                                    => "TIME"
    case Binary                                           => "BINARY"
    case LongString                                       => "VARCHAR"
    case VariantReader.ObjectKind                         => "OBJECT"
    case VariantReader.ArrayKind                          => "ARRAY"
    case _                                                => "UUID"
  }

  private val json: Array[UTF8String] = names {
    case Null                                                                         => "null"
    case True | False                                                                 => "boolean"
    case VariantReader.ObjectKind                                                     => "object"
    case VariantReader.ArrayKind                                                      => "array"
    case kind if TypeTest.Integers.contains(kind) || TypeTest.Decimals.contains(kind) => "number"
    case VariantConstants.Float | VariantConstants.Double                             => "number"
    case _ => "string" // as to_json writes it
  }

  private def names(name: Int => String): Array[UTF8String] =
    kinds.map(kind => UTF8String.fromString(name(kind))).toArray
}
