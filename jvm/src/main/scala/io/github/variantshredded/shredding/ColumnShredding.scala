package io.github.variantshredded.shredding

/** Says how the Variants of one column are shredded. */
sealed trait ColumnShredding

object ColumnShredding {

  /** Each file gets a schema that is inferred from its first rows. */
  case object Infer extends ColumnShredding

  /** Every file gets the same schema; `Given(Unshredded)` is the option's value `none`. */
  final case class Given(schema: ShreddingSchema) extends ColumnShredding
}
