package io.github.variantshredded.read.cast

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{Layout, Levels, VariantPosition}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, INT32}
import org.apache.spark.sql.execution.vectorized.{
  Dictionary,
  OffHeapColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.types.{BinaryType, StringType}
import org.scalatest.funsuite.AnyFunSuite

/** Strings of `typed_value` have to be valid UTF-8 in `validation=strict`. */
class StringCheckSuite extends AnyFunSuite {

  private def check(strict: Boolean = true, column: CastColumn = strings): StringCheck = {
    val typed = column.primitive
    val position = new VariantPosition("$.a", Seq("v"), Levels(2, 0), true, None, None, Layout.Spec)
    new StringCheck(new PositionVectors(position, null, typed), strict)
  }

  private def strings = new CastColumn(ShreddedType.StringType, BINARY, Nil)

  private def bytes(numbers: Int*): Array[Byte] = numbers.map(_.toByte).toArray

  private val euro = "\u20ac".getBytes("UTF-8")

  private def plain(vector: WritableColumnVector, values: Array[Byte]*): WritableColumnVector = {
    values.zipWithIndex.foreach {
      case (null, slot)  => vector.putNull(slot)
      case (value, slot) => vector.putByteArray(slot, value): Unit
    }
    vector
  }

  private def onHeap(values: Array[Byte]*) =
    plain(new OnHeapColumnVector(values.size, StringType), values: _*)

  private def refused(check: StringCheck, vector: WritableColumnVector, slots: Int): Unit = {
    val error = intercept[VariantShreddedException](check.check(vector, slots))
    assert(error.condition === "INVALID_SHREDDED_VARIANT")
    assert(error.getMessage.contains("'typed_value' (a string) is not valid UTF-8."))
    assert(error.getMessage.contains("$.a"))
  }

  test("ASCII, longer characters, empty strings and nulls are valid") {
    check().check(onHeap(bytes('a'), null, euro, bytes(), bytes('z')), 5)
  }

  test("a byte that begins no character is refused") {
    refused(check(), onHeap(bytes('a'), bytes('b', 0xff)), 2)
  }

  test("a character that is divided between two values is refused") {
    // Together the bytes of the two values are valid.
    refused(check(), onHeap(euro.take(1), euro.drop(1)), 2)
    refused(check(), onHeap(bytes('a'), euro.take(2), null, euro.drop(2)), 4)
  }

  test("a character that ends too early in the last value is refused") {
    refused(check(), onHeap(bytes('a'), euro.take(2)), 2)
  }

  test("values off the heap are checked too") {
    val vector = new OffHeapColumnVector(2, StringType)
    try {
      check().check(plain(vector, euro, bytes('b')), 2)
      vector.reset()
      refused(check(), plain(vector, euro, euro.take(1)), 2)
    } finally vector.close()
  }

  test("only entries of the dictionary that occur are checked") {
    val checked = check()
    checked.startRowGroup()
    checked.check(encoded(Seq(0, 2, 0), euro, bytes(0xff), bytes('b')), 3)
    refused(checked, encoded(Seq(0, 1), euro, bytes(0xff), bytes('b')), 2)
  }

  test("an entry is checked once in a row group, and again in the next") {
    val checked = check()
    checked.startRowGroup()
    checked.check(encoded(Seq(0), bytes('a')), 1)
    // The same id is not looked at again, whatever it stands for.
    checked.check(encoded(Seq(0), bytes(0xff)), 1)
    checked.startRowGroup()
    refused(checked, encoded(Seq(0), bytes(0xff)), 1)
  }

  test("nothing is checked in permissive mode, or where the column has no strings") {
    check(strict = false).check(onHeap(bytes(0xff)), 1)
    check(column = new CastColumn(ShreddedType.Int32, INT32, Nil)).check(onHeap(bytes(0xff)), 1)
    val binary = plain(new OnHeapColumnVector(1, BinaryType), bytes(0xff))
    check(column = new CastColumn(ShreddedType.Binary, BINARY, Nil)).check(binary, 1)
  }

  private def encoded(ids: Seq[Int], entries: Array[Byte]*): WritableColumnVector = {
    val vector = new OnHeapColumnVector(ids.size, StringType)
    vector.setDictionary(new Dictionary {
      override def decodeToInt(id: Int): Int = throw new UnsupportedOperationException
      override def decodeToLong(id: Int): Long = throw new UnsupportedOperationException
      override def decodeToFloat(id: Int): Float = throw new UnsupportedOperationException
      override def decodeToDouble(id: Int): Double = throw new UnsupportedOperationException
      override def decodeToBinary(id: Int): Array[Byte] = entries(id)
    })
    val idColumn = vector.reserveDictionaryIds(ids.size)
    ids.zipWithIndex.foreach { case (id, slot) => idColumn.putInt(slot, id) }
    vector
  }
}
