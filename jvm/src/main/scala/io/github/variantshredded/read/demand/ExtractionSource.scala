package io.github.variantshredded.read.demand

import io.github.variantshredded.shredding.layout.VariantGroup

/** Says where a file has the Variant of an extraction. */
private[read] sealed trait ExtractionSource {

  /** Returns the Variant group that this source reads; None if it reads none. */
  def group: Option[VariantGroup]
}

private[read] object ExtractionSource {

  /** The file does not have the column. */
  case object Missing extends ExtractionSource {
    override def group: Option[VariantGroup] = None
  }

  /**
   * Spark's reader decodes the whole column, because its group breaks the rules of the shredding
   * specification. Nothing is known of its leaf columns.
   */
  case object LeftToSpark extends ExtractionSource {
    override def group: Option[VariantGroup] = None
  }

  /**
   * The column is a Variant group.
   *
   * @param view
   *   what the extraction may see of it
   */
  final case class Shredded(found: VariantGroup, view: LeafView) extends ExtractionSource {
    override def group: Option[VariantGroup] = Some(found)
  }
}
