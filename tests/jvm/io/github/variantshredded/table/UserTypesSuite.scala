package io.github.variantshredded.table

import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal

/** User-defined types that are stored with Variants in them. */
class UserTypesSuite extends PathSuite {

  private val schema = StructType(
    Seq(
      StructField("n", IntegerType),
      StructField("box", new BoxType),
      StructField("list", ArrayType(new BoxType)),
      StructField(
        "s",
        StructType(Seq(StructField("box", new BoxType), StructField("k", IntegerType)))
      ),
      StructField("bare", new BareType)
    )
  )

  private def frame(count: Int): DataFrame = {
    val variants =
      spark.range(count.toLong).selectExpr("parse_json(concat('{\"n\": ', id, '}'))").collect()
    val rows = variants.zipWithIndex.toSeq.map { case (row, i) =>
      val box = if (i % 5 == 4) null else new Box(row.getAs[VariantVal](0), i)
      Row(i, box, Seq(box, box), Row(box, i), if (box == null) null else new Bare(box.v))
    }
    spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), schema)
  }

  private def texts(df: DataFrame): Seq[String] =
    df.collect().map(_.toString).sorted.toSeq

  test("they are written shredded and read back, whole and in part") {
    val rows = frame(20)
    val path = written(rows)
    val df = reader.load(path)
    assert(df.schema.map(f => f.name -> f.dataType) === schema.map(f => f.name -> f.dataType))
    assert(texts(df) === texts(rows))
    assert(texts(df.select("n", "box")) === texts(rows.select("n", "box")))
    assert(texts(df.select("s.box")) === texts(rows.select("s.box")))
    assert(texts(df.selectExpr("list[0]")) === texts(rows.selectExpr("list[0]")))
    assert(texts(df.select("bare")) === texts(rows.select("bare")))
    assert(texts(df.where("n < 7 AND s.k > 2")) === texts(rows.where("n < 7 AND s.k > 2")))
    assert(df.where("box IS NULL").count() === 4)
    assert(df.where("box IS NOT NULL AND n > 10").count() === 7)
    val text = spark.read.format("variant-shredded-files").load(path).selectExpr("path").distinct()
    assert(text.where("path = '$.n'").count() === 1)
  }

  test("with batches off the heap and files in the earlier layout") {
    val rows = frame(7000)
    spark.conf.set("spark.sql.columnVector.offheap.enabled", "true")
    try {
      Seq("spec", "overview").foreach { layout =>
        val path = newPath()
        writer(rows).option("layout", layout).save(path)
        assert(texts(reader.load(path)) === texts(rows), layout)
      }
    } finally spark.conf.unset("spark.sql.columnVector.offheap.enabled")
  }
}

@SQLUserDefinedType(udt = classOf[BoxType])
final class Box(val v: VariantVal, val k: Int) extends Serializable {
  override def toString: String = s"Box($v, $k)"
}

/** Stored as a struct of a Variant and a number. */
final class BoxType extends UserDefinedType[Box] {
  override def sqlType: DataType = StructType.fromDDL("v VARIANT, k INT")
  override def userClass: Class[Box] = classOf[Box]
  override def serialize(box: Box): Any = InternalRow(box.v, box.k)
  override def deserialize(datum: Any): Box = {
    val row = datum.asInstanceOf[InternalRow]
    new Box(row.getVariant(0), row.getInt(1))
  }
}

@SQLUserDefinedType(udt = classOf[BareType])
final class Bare(val v: VariantVal) extends Serializable {
  override def toString: String = s"Bare($v)"
}

/** Stored as a Variant. */
final class BareType extends UserDefinedType[Bare] {
  override def sqlType: DataType = VariantType
  override def userClass: Class[Bare] = classOf[Bare]
  override def serialize(bare: Bare): Any = bare.v
  override def deserialize(datum: Any): Bare = new Bare(datum.asInstanceOf[VariantVal])
}
