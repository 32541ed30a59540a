package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.testing.PathSuite
import io.github.variantshredded.variant.encode.VariantEncoder
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{StructType, VariantType}
import org.apache.spark.unsafe.types.VariantVal
import org.scalatest.tagobjects.Slow

/** Variants that take more bytes in the types of their columns than a Variant may have. */
class LargeVariantSuite extends PathSuite {

  private def array(count: Int)(write: VariantEncoder => Unit): VariantVal = {
    val encoder = new VariantEncoder
    encoder.beginArray()
    (0 until count).foreach(_ => write(encoder))
    encoder.endArray()
    new VariantVal(encoder.toByteArray, Array[Byte](1, 0, 0))
  }

  Seq[(String, Int, VariantEncoder => Unit)](
    ("array<bigint>", 11000000, _.writeInt8(7)),
    ("array<decimal(38,2)>", 6500000, _.writeDecimal4(700, 2))
  ).foreach { case (shredding, count, write) =>
    test(s"narrow numbers in the shredding schema $shredding", Slow) {
      val path = newPath()
      val variant = array(count)(write)
      val rows = spark.createDataFrame(
        Arrays.asList(Row(variant)),
        new StructType().add("v", VariantType)
      )
      writer(rows).option("shredding", shredding).save(path)
      val read = reader.load(path).head().getAs[VariantVal](0)
      assert(Arrays.equals(read.getValue, variant.getValue))
    }
  }
}
