package io.github.variantshredded.variant

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.variant.encode.{MetadataBuilder, VariantEncoder}

/** Trees to and from bytes through the product's own encoder, dictionary, reader and cursors. */
object ProductCodec {

  def encode(tree: VariantTree): (Array[Byte], Array[Byte]) = {
    val names = new MetadataBuilder
    val encoder = new VariantEncoder
    write(tree, encoder, names)
    (names.build(), encoder.toByteArray)
  }

  def write(tree: VariantTree, encoder: VariantEncoder, names: MetadataBuilder): Unit = tree match {
    case Null                       => encoder.writeNull()
    case Bool(value)                => encoder.writeBoolean(value)
    case Int8(value)                => encoder.writeInt8(value)
    case Int16(value)               => encoder.writeInt16(value)
    case Int32(value)               => encoder.writeInt32(value)
    case Int64(value)               => encoder.writeInt64(value)
    case Flt(value)                 => encoder.writeFloat(value)
    case Dbl(value)                 => encoder.writeDouble(value)
    case Decimal4(unscaled, scale)  => encoder.writeDecimal4(unscaled, scale)
    case Decimal8(unscaled, scale)  => encoder.writeDecimal8(unscaled, scale)
    case Decimal16(unscaled, scale) => encoder.writeDecimal16(unscaled, scale)
    case Date(days)                 => encoder.writeDate(days)
    case Time(micros)               => encoder.writeTime(micros)
    case TimestampMicros(micros)    => encoder.writeTimestampMicros(micros)
    case TimestampNtzMicros(micros) => encoder.writeTimestampNtzMicros(micros)
    case TimestampNanos(nanos)      => encoder.writeTimestampNanos(nanos)
    case TimestampNtzNanos(nanos)   => encoder.writeTimestampNtzNanos(nanos)
    case Binary(bytes)              => encoder.writeBinary(bytes.toArray, 0, bytes.size)
    case Str(value)                 => encoder.writeString(value)
    case Uuid(value)                =>
      encoder.writeUuid(value.getMostSignificantBits, value.getLeastSignificantBits)
    case Arr(elements) =>
      encoder.beginArray()
      elements.foreach(write(_, encoder, names))
      encoder.endArray()
    case Obj(fields) =>
      encoder.beginObject()
      fields.foreach { case (name, child) =>
        encoder.field(names.add(name))
        write(child, encoder, names)
      }
      encoder.endObject(names)
  }

  def decode(metadata: Array[Byte], value: Array[Byte]): VariantTree =
    read(MetadataDictionary.parse(metadata, 0, metadata.length), value, 0, value.length)

  def read(names: MetadataDictionary, bytes: Array[Byte], pos: Int, limit: Int): VariantTree = {
    def long = VariantReader.getLong(bytes, pos, limit)
    def scale = VariantReader.getDecimalScale(bytes, pos, limit)
    VariantReader.kind(bytes, pos, limit) match {
      case VariantConstants.Null                          => Null
      case VariantConstants.True | VariantConstants.False =>
        Bool(VariantReader.getBoolean(bytes, pos, limit))
      case VariantConstants.Int8     => Int8(long.toByte)
      case VariantConstants.Int16    => Int16(long.toShort)
      case VariantConstants.Int32    => Int32(long.toInt)
      case VariantConstants.Int64    => Int64(long)
      case VariantConstants.Double   => Dbl(VariantReader.getDouble(bytes, pos, limit))
      case VariantConstants.Float    => Flt(VariantReader.getFloat(bytes, pos, limit))
      case VariantConstants.Decimal4 =>
        Decimal4(VariantReader.getUnscaledLong(bytes, pos, limit).toInt, scale)
      case VariantConstants.Decimal8 =>
        Decimal8(VariantReader.getUnscaledLong(bytes, pos, limit), scale)
      case VariantConstants.Decimal16 =>
        Decimal16(VariantReader.getDecimal(bytes, pos, limit).unscaledValue, scale)
      case VariantConstants.Date               => Date(long.toInt)
      case VariantConstants.TimeNtzMicros      => Time(long)
      case VariantConstants.TimestampMicros    => TimestampMicros(long)
      case VariantConstants.TimestampNtzMicros => TimestampNtzMicros(long)
      case VariantConstants.TimestampNanos     => TimestampNanos(long)
      case VariantConstants.TimestampNtzNanos  => TimestampNtzNanos(long)
      case VariantConstants.Binary             =>
        val start = VariantReader.contentStart(bytes, pos, limit)
        Binary(bytes.slice(start, start + VariantReader.contentLength(bytes, pos, limit)).toVector)
      case VariantConstants.LongString =>
        val start = VariantReader.contentStart(bytes, pos, limit)
        val length = VariantReader.contentLength(bytes, pos, limit)
        Str(new String(bytes, start, length, UTF_8))
      case VariantConstants.Uuid =>
        Uuid(
          new UUID(
            VariantReader.getUuidHigh(bytes, pos, limit),
            VariantReader.getUuidLow(bytes, pos, limit)
          )
        )
      case VariantReader.ArrayKind =>
        val cursor = new ArrayCursor().reset(bytes, pos, limit)
        Arr((0 until cursor.numElements).map { i =>
          read(names, bytes, cursor.elementPos(i), cursor.end)
        }.toVector)
      case VariantReader.ObjectKind =>
        val cursor = new ObjectCursor().reset(bytes, pos, limit)
        Obj((0 until cursor.numFields).map { i =>
          names.key(cursor.fieldId(i)) -> read(names, bytes, cursor.fieldPos(i), cursor.end)
        }.toVector)
    }
  }
}
