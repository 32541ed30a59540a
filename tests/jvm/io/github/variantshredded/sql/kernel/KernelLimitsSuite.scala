package io.github.variantshredded.sql.kernel

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.variant.encode.{MetadataBuilder, VariantEncoder}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}
import org.scalatest.funsuite.AnyFunSuite

/** Values that are made to cost more than their size, and values that are cut off. */
class KernelLimitsSuite extends AnyFunSuite {

  private val none = Array[Byte](1, 0, 0)
  private val one: VariantVal = new VariantVal(Array[Byte](12, 1), none)
  private val key = UTF8String.fromString("k")
  private val no = java.lang.Boolean.FALSE
  private val yes = java.lang.Boolean.TRUE
  private def at(position: Int) = Integer.valueOf(position)

  /** Every function that looks into an array, with the array as an argument. */
  private def onArray(v: VariantVal): Seq[(VariantKernel, Array[AnyRef])] = Seq(
    ArrayConstruct("f", compact = false) -> Array(one, v),
    ArrayCat("f") -> Array(v, v),
    ArrayInsert("f") -> Array(v, at(1), one),
    ArrayInsert("f") -> Array(new VariantVal(Array[Byte](3, 0, 0), none), at(0), v),
    ArrayAppend("f") -> Array(v, one),
    ArrayPrepend("f") -> Array(v, one),
    ArraySlice("f") -> Array(v, at(0), at(1)),
    ArrayRemoveAt("f") -> Array(v, at(0)),
    ArrayCompact("f") -> Array(v),
    ObjectConstruct("f", keepNull = false) -> Array(key, v),
    Flatten("f") -> Array(v, yes, UTF8String.fromString("both"))
  )

  /** Every function that looks into an object, with the object as an argument. */
  private def onObject(v: VariantVal): Seq[(VariantKernel, Array[AnyRef])] = Seq(
    ObjectKeys("f") -> Array(v),
    GetIgnoreCase("f") -> Array(v, key),
    SelectFields("f", named = true) -> Array(v, key),
    SelectFields("f", named = false) -> Array(v, key),
    ObjectInsert("f") -> Array(v, key, one, yes),
    ObjectConstruct("f", keepNull = true) -> Array(key, v),
    Flatten("f") -> Array(v, no, UTF8String.fromString("OBJECT"))
  )

  private def refused(calls: Seq[(VariantKernel, Array[AnyRef])]): Unit =
    calls.foreach { case (kernel, arguments) =>
      val error = intercept[VariantShreddedException](kernel(arguments))
      assert(error.getCondition === "MALFORMED_VARIANT", kernel)
    }

  private def int(value: Int): Array[Byte] = Array.tabulate(4)(i => (value >>> (8 * i)).toByte)

  /** An array of `count` elements that are all at the same offset, where `element` is. */
  private def repeated(count: Int, element: Array[Byte]): Array[Byte] =
    Array[Byte](15, count.toByte) ++ Array.fill(count)(int(0)).flatten ++ int(element.length) ++
      element

  private def bomb = (1 to 20).foldLeft(Array[Byte](0))((inner, _) => repeated(100, inner))

  test("elements that share their bytes") {
    assert(bomb.length < 10000)
    refused(onArray(new VariantVal(bomb, none)))
  }

  test("fields that share their bytes or their name") {
    val names = new MetadataBuilder
    Seq("a", "b").foreach(names.add)
    val data = Array[Byte](12, 1)
    val sharedBytes = Array[Byte](2, 2, 0, 1, 0, 0, 2) ++ data
    val sharedName = Array[Byte](2, 2, 0, 0, 0, 2, 4) ++ data ++ data
    Seq(sharedBytes, sharedName).foreach { bytes =>
      refused(onObject(new VariantVal(bytes, names.build())))
    }
  }

  test("containers nested too deep") {
    val deep = (1 to 1100).foldLeft(Array[Byte](0)) { (inner, _) =>
      Array[Byte](15, 1) ++ int(0) ++ int(inner.length) ++ inner
    }
    refused(onArray(new VariantVal(deep, none)))
  }

  test("every truncation of values and metadata") {
    val names = new MetadataBuilder
    val encoder = new VariantEncoder
    def fill(): Unit = {
      encoder.beginObject()
      encoder.field(names.add("k"))
      encoder.writeString("text")
      encoder.field(names.add("list"))
      encoder.beginArray()
      encoder.writeInt64(1L << 40)
      encoder.writeBinary(Array[Byte](1, 2), 0, 2)
      encoder.endArray()
      encoder.endObject(names)
    }
    fill()
    val (obj, metadata) = (encoder.toByteArray, names.build())
    encoder.reset()
    encoder.beginArray()
    fill()
    encoder.endArray()
    val array = encoder.toByteArray
    onObject(new VariantVal(obj, metadata)).foreach { case (kernel, args) => kernel(args) }
    onArray(new VariantVal(array, metadata)).foreach { case (kernel, args) => kernel(args) }
    obj.indices.foreach(n => refused(onObject(new VariantVal(obj.take(n), metadata))))
    array.indices.foreach(n => refused(onArray(new VariantVal(array.take(n), metadata))))
    metadata.indices.foreach(n => refused(onObject(new VariantVal(obj, metadata.take(n)))))
    metadata.indices.foreach(n => refused(onArray(new VariantVal(array, metadata.take(n)))))
  }

  test("names in a Variant that is malformed") {
    val empty = new VariantVal(Array[Byte](2, 0, 0), none)
    def selections(names: Array[Byte]): Seq[(VariantKernel, Array[AnyRef])] =
      Seq(true, false).map { named =>
        SelectFields("f", named) -> Array[AnyRef](empty, new VariantVal(names, none))
      }
    val encoder = new VariantEncoder
    encoder.beginArray()
    encoder.writeString("k")
    encoder.writeNull()
    encoder.endArray()
    val names = encoder.toByteArray
    selections(names).foreach { case (kernel, args) => assert(kernel(args) != null) }
    names.indices.foreach(n => refused(selections(names.take(n))))
    refused(selections(bomb))
  }

  test("flatten: values and paths together are bounded") {
    val names = new MetadataBuilder
    val encoder = new VariantEncoder
    val name = names.add("n" * 10000)
    val levels = 100
    (1 to levels).foreach { _ =>
      encoder.beginObject()
      encoder.field(name)
    }
    encoder.beginArray()
    (1 to 1000).foreach(_ => encoder.writeNull())
    encoder.endArray()
    (1 to levels).foreach(_ => encoder.endObject(names))
    val v = new VariantVal(encoder.toByteArray, names.build())
    assert(v.getValue.length < 10000)
    val error = intercept[VariantShreddedException] {
      Flatten("f")(Array(v, yes, UTF8String.fromString("BOTH")))
    }
    assert(error.getCondition === "VARIANT_SIZE_LIMIT")
  }
}
