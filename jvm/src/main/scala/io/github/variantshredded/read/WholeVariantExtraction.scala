package io.github.variantshredded.read

import io.github.variantshredded.extraction.{Extracted, PathExtraction, PathStep}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.{Variant, VariantUtil}

/** An extraction from the rebuilt Variant. */
private[read] final class WholeVariantExtraction(
    extraction: PathExtraction,
    index: Int,
    variants: ColumnVector,
    errors: ErrorVector,
    settings: DecoderSettings
) extends OutputColumn {

  private val values: WritableColumnVector = settings.newVector(extraction.what.dataType)
  private val appender = new BoxedAppender(values)
  private val steps = extraction.path.toArray

  private val evaluate: Int => Any = extraction.what match {
    case value: Extracted.Value =>
      val caster = new VariantCaster(value, index, errors)
      slot => {
        val variant = find(slot)
        if (variant == null) null else caster.cast(variant, slot)
      }
    case Extracted.IsVariantNull =>
      slot => {
        val variant = find(slot)
        variant != null && variant.getType == VariantUtil.Type.NULL
      }
    case Extracted.IsPresent => slot => find(slot) != null
  }

  private def find(slot: Int): Variant =
    if (variants.isNullAt(slot)) null
    else {
      val whole = variants.getVariant(slot)
      var found = new Variant(whole.getValue, whole.getMetadata)
      var i = 0
      while (i < steps.length && found != null) {
        found = steps(i) match {
          case PathStep.Field(name) if found.getType == VariantUtil.Type.OBJECT =>
            found.getFieldByKey(name)
          case PathStep.Element(element) if found.getType == VariantUtil.Type.ARRAY =>
            found.getElementAtIndex(element)
          case _ => null
        }
        i += 1
      }
      found
    }

  override def vector: ColumnVector = values
  override def startRowGroup(rowGroup: RowGroup): Unit = ()
  override def readBatch(rows: Int): Unit = {
    values.reset()
    var slot = 0
    while (slot < rows) {
      appender.append(evaluate(slot))
      slot += 1
    }
  }
  override def close(): Unit = values.close()
}
