package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.testing.{DataFiles, VariantTree}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.VariantVal

/** What Spark's own Parquet source reads from a folder, and what our reader does. */
object SparkAnswers {

  def bySpark(spark: SparkSession, folder: Path, schema: StructType): Vector[Any] =
    spark.read.schema(schema).parquet(folder.toString).collect().toVector.map(comparable)

  def byUs(folder: Path, schema: StructType, options: ReadSettings): Vector[Any] = {
    val toRow = ExpressionEncoder(schema).resolveAndBind().createDeserializer()
    // As Spark does: what makes external rows takes elements before it asks whether they are null.
    val toUnsafe = UnsafeProjection.create(schema)
    DataFiles
      .below(folder)
      .flatMap(
        FileRows.read(_, schema, options)(row => comparable(toRow(toUnsafe(row))))
      )
  }

  /** With an equality that looks into arrays and takes a NaN for itself. */
  private def comparable(value: Any): Any = value match {
    case row: Row                        => ("row", row.toSeq.toVector.map(comparable))
    case bytes: Array[Byte]              => ("bytes", bytes.toVector)
    case map: scala.collection.Map[_, _] =>
      ("map", map.toSet[(Any, Any)].map { case (k, v) => comparable(k) -> comparable(v) })
    case seq: scala.collection.Seq[_] => ("array", seq.toVector.map(comparable))
    case number: Float                => ("float", java.lang.Float.floatToIntBits(number))
    case number: Double               => ("double", java.lang.Double.doubleToLongBits(number))
    case variant: VariantVal          => new AnyVariant(FileRows.tree(variant))
    case other                        => other
  }
}

/** Equal by meaning: Spark gives numbers the least width that holds them, we that of the column. */
final class AnyVariant(private val tree: VariantTree) {
  override def equals(other: Any): Boolean = other match {
    case variant: AnyVariant => VariantTree.sameAs(tree, variant.tree, exact = false)
    case _                   => false
  }

  // Fields may be in any order.
  override def hashCode: Int = 0

  override def toString: String = tree.toString
}
