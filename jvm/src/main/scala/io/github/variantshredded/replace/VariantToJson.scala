package io.github.variantshredded.replace

import java.util.function.UnaryOperator

import io.github.variantshredded.variant.VariantJson
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.VariantVal

/**
 * Computes `to_json` of a Variant by `VariantJson`, with the same text as Spark's.
 */
final case class VariantToJson(child: Expression, dataType: DataType, writer: VariantToJson.Writer)
    extends VariantText {

  // As Spark says of its own expression. The state of a join of streams depends on it: a side
  // without new files has no scan, and so Spark's expression.
  override def nullable: Boolean = true

  override def prettyName: String = "to_json"

  override protected def withNewChildInternal(newChild: Expression): VariantToJson =
    copy(child = newChild)
}

object VariantToJson {

  /**
   * Writes a Variant as JSON.
   *
   * @param zone
   *   time zone of timestamps
   */
  final case class Writer(zone: String) extends UnaryOperator[AnyRef] {

    @transient private lazy val json = new VariantJson(DateTimeUtils.getZoneId(zone))

    override def apply(input: AnyRef): AnyRef = {
      val variant = input.asInstanceOf[VariantVal]
      json.write(variant.getValue, variant.getMetadata)
    }
  }
}
