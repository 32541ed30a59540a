package io.github.variantshredded.replace

import java.util.function.UnaryOperator

import io.github.variantshredded.extraction.ExtractionResult
import io.github.variantshredded.read.cast.VariantCaster
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.VariantVal

/**
 * Casts a Variant to a string by `VariantCaster`, with the same text as Spark's cast.
 */
final case class VariantToString(child: Expression, writer: VariantToString.Writer)
    extends VariantText {

  override def dataType: DataType = StringType

  // A Variant null becomes SQL NULL.
  override def nullable: Boolean = true

  override def prettyName: String = "cast_to_string"

  override protected def withNewChildInternal(newChild: Expression): VariantToString =
    copy(child = newChild)
}

object VariantToString {

  /**
   * Casts a Variant to a string.
   *
   * @param failOnError
   *   whether a value that cannot be cast is an error; otherwise, it becomes SQL NULL, whatever the
   *   error is
   */
  final case class Writer(failOnError: Boolean, zone: Option[String])
      extends UnaryOperator[AnyRef] {

    @transient private lazy val caster =
      new VariantCaster(ExtractionResult.Value(StringType, failOnError, zone), StringType)

    override def apply(input: AnyRef): AnyRef = {
      val variant = input.asInstanceOf[VariantVal]
      if (failOnError) text(variant)
      else {
        try text(variant)
        catch { case _: Exception => null }
      }
    }

    private def text(variant: VariantVal): AnyRef = {
      val text = caster.cast(new Variant(variant.getValue, variant.getMetadata))
      if (caster.error != null) throw caster.error.asInstanceOf[Throwable]
      text.asInstanceOf[AnyRef]
    }
  }
}
