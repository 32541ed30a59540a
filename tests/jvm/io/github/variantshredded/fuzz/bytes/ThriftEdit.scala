package io.github.variantshredded.fuzz.bytes

import java.lang.{
  Boolean => JBoolean,
  Byte => JByte,
  Double => JDouble,
  Integer => JInteger,
  Long => JLong,
  Short => JShort
}
import java.nio.ByteBuffer
import java.util.{List => JList}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import shaded.parquet.org.apache.thrift.{TBase, TEnum, TFieldIdEnum, TUnion}
import shaded.parquet.org.apache.thrift.meta_data.{FieldMetaData, StructMetaData}

/** Changes one of the values within a Thrift structure, whatever its type is. */
object ThriftEdit {

  private type Struct = TBase[_, _ <: TFieldIdEnum]

  /** A value that can be changed. */
  private final case class Entry(value: Any, set: Any => Unit)

  /**
   * @param where
   *   which value, of all in the order of the structure
   * @param how
   *   which change, of those that its type knows
   * @param number
   *   for the change
   */
  def apply(struct: AnyRef, where: Int, how: Int, number: Int): Unit = {
    val entries = mutable.ArrayBuffer.empty[Entry]
    collect(struct.asInstanceOf[Struct], entries)
    if (entries.nonEmpty) change(entries(where % entries.size), how, number)
  }

  private def fields(struct: Struct): Seq[(TFieldIdEnum, FieldMetaData)] =
    FieldMetaData
      .getStructMetaDataMap(struct.getClass.asInstanceOf[Class[Nothing]])
      .asInstanceOf[java.util.Map[TFieldIdEnum, FieldMetaData]]
      .asScala
      .toSeq
      .sortBy(_._1.getThriftFieldId)

  private def collect(struct: Struct, entries: mutable.ArrayBuffer[Entry]): Unit = {
    val typed = struct.asInstanceOf[TBase[_, TFieldIdEnum]]
    fields(struct).foreach { case (field, meta) =>
      def set(value: Any): Unit = typed.setFieldValue(field, value.asInstanceOf[AnyRef])
      if (typed.isSet(field)) visit(typed.getFieldValue(field), set, entries)
      else {
        meta.valueMetaData match {
          case of: StructMetaData =>
            entries += Entry(null, _ => set(fresh(of)))
          case _ if !struct.isInstanceOf[TUnion[_, _]] => entries += Entry(null, setAny(set))
          case _                                       => ()
        }
      }
    }
  }

  private def fresh(of: StructMetaData): AnyRef =
    of.structClass.asInstanceOf[Class[_ <: AnyRef]].getDeclaredConstructor().newInstance()

  /** A field that is not there: its type is found by trying. */
  private def setAny(set: Any => Unit)(number: Any): Unit = {
    val value = number.asInstanceOf[Int]
    val candidates = Iterator[Any](
      Int.box(value),
      Long.box(value.toLong),
      Short.box(value.toShort),
      Boolean.box(true),
      s"text $value",
      ByteBuffer.wrap(Array(value.toByte)),
      new java.util.ArrayList[AnyRef]
    )
    val _ = candidates.exists { candidate =>
      try {
        set(candidate)
        true
      } catch { case _: ClassCastException => false }
    }
  }

  private def visit(value: Any, set: Any => Unit, entries: mutable.ArrayBuffer[Entry]): Unit =
    value match {
      case struct: TBase[_, _] =>
        entries += Entry(struct, set)
        collect(struct.asInstanceOf[Struct], entries)
      case list: JList[_] =>
        entries += Entry(list, set)
        val elements = list.asInstanceOf[JList[Any]]
        (0 until elements.size).foreach { i =>
          visit(elements.get(i), (v: Any) => elements.set(i, v): Unit, entries)
        }
      case other => entries += Entry(other, set)
    }

  private val Edges: Vector[Long] = Vector(
    0L,
    1L,
    -1L,
    Int.MaxValue.toLong,
    Int.MinValue.toLong,
    Long.MaxValue,
    Long.MinValue,
    1L << 40,
    1L << 28,
    127L,
    65536L
  )

  private def integer(old: Long, how: Int, number: Int): Long = how % 4 match {
    case 0 => Edges(number % Edges.size)
    case 1 => old + number.toShort
    case 2 => number.toLong
    case _ => old ^ (1L << (number % 64))
  }

  private def change(entry: Entry, how: Int, number: Int): Unit = entry.value match {
    case null           => entry.set(number)
    case flag: JBoolean => entry.set(Boolean.box(!flag))
    case n: JByte       => entry.set(Byte.box(integer(n.toLong, how, number).toByte))
    case n: JShort      => entry.set(Short.box(integer(n.toLong, how, number).toShort))
    case n: JInteger    => entry.set(Int.box(integer(n.toLong, how, number).toInt))
    case n: JLong       => entry.set(Long.box(integer(n, how, number)))
    case _: JDouble     => entry.set(Double.box(java.lang.Double.longBitsToDouble(number.toLong)))
    case text: String   => entry.set(changedText(text, how, number))
    case bytes: Array[Byte] =>
      entry.set(ByteBuffer.wrap(changedBytes(bytes, how, number)))
    case bytes: ByteBuffer =>
      val copy = new Array[Byte](bytes.remaining)
      bytes.duplicate().get(copy)
      entry.set(ByteBuffer.wrap(changedBytes(copy, how, number)))
    case one: TEnum =>
      val all = (one.getClass: Class[_]).getEnumConstants.asInstanceOf[Array[AnyRef]]
      entry.set(all(number % all.length))
    case list: JList[_]       => changeList(list.asInstanceOf[JList[Any]], how, number)
    case struct: TUnion[_, _] => changeUnion(struct.asInstanceOf[Struct], number)
    case _                    => entry.set(null)
  }

  private def changedText(text: String, how: Int, number: Int): String = how % 5 match {
    case 0 => text.take(number % (text.length + 1))
    case 1 => text + (number % 128).toChar
    case 2 => "typed_value"
    case 3 => "value"
    case _ => text.reverse
  }

  private def changedBytes(bytes: Array[Byte], how: Int, number: Int): Array[Byte] = how % 3 match {
    case 0 => bytes.take(number % (bytes.length + 1))
    case 1 => bytes :+ number.toByte
    case _ => bytes.map(b => (b ^ number).toByte)
  }

  private def changeList(list: JList[Any], how: Int, number: Int): Unit =
    if (!list.isEmpty) {
      val at = number % list.size
      how % 4 match {
        case 0 => list.remove(at): Unit
        case 1 => list.add(at, list.get((number >>> 8) % list.size))
        case 2 => list.clear()
        case _ =>
          val other = (number >>> 8) % list.size
          val value = list.get(at)
          list.set(at, list.get(other))
          list.set(other, value): Unit
      }
    }

  private def changeUnion(struct: Struct, number: Int): Unit = {
    val all = fields(struct)
    val (field, meta) = all(number % all.size)
    meta.valueMetaData match {
      case of: StructMetaData =>
        struct
          .asInstanceOf[TBase[_, TFieldIdEnum]]
          .setFieldValue(field, fresh(of))
      case _ => ()
    }
  }
}
