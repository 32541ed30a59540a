package io.github.variantshredded.read.extract

import java.util.Arrays

import io.github.variantshredded.read.decode.OutputColumn
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.position.{BinaryVariants, LocatedErrors}
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.VariantVal

/**
 * Gives the Variants that Spark's reader has decoded and rebuilt.
 *
 * @param columns
 *   the top-level columns that hold them
 * @param ordinals
 *   returns for the names of a Variant and of the structs around it their ordinals: that of the
 *   top-level column, and those within each struct
 */
private[read] final class AssembledVariants(
    val columns: Seq[OutputColumn],
    ordinals: Seq[String] => Seq[Int]
) {

  /** Returns the Variants of a column. They must be decoded before they are read. */
  def of(column: Seq[String], context: FileContext): BinaryVariants = {
    val indexes = ordinals(column)
    val errors = new LocatedErrors(column.mkString("."), context)
    new AssembledVariants.OfColumn(columns(indexes.head), indexes.tail, errors, context)
  }
}

private object AssembledVariants {

  private final class OfColumn(
      column: OutputColumn,
      fields: Seq[Int],
      errors: LocatedErrors,
      context: FileContext
  ) extends BinaryVariants {

    // The vectors of the structs around the Variant, and its own.
    private var vectors: Array[ColumnVector] = Array.empty

    override def startBatch(slots: Int): Unit =
      vectors = fields.scanLeft(column.vector)(_.getChild(_)).toArray

    override def mayHaveVariants: Boolean = true

    override def read(slot: Int): Boolean = !vectors.exists(_.isNullAt(slot)) && {
      errors.located(read(vectors.last.getVariant(slot)))
      true
    }

    private def read(variant: VariantVal): Unit = {
      val metadata = variant.getMetadata
      if (plan == null || !Arrays.equals(plan.bytes, metadata)) {
        val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length, context.strict)
        plan = new MetadataPlan(metadata, dictionary, Array.empty, false)
      }
      bytes = variant.getValue
      end = bytes.length
      context.validator.check(bytes, start, end, plan.dictionary, context.maxDepth)
    }
  }
}
