package io.github.variantshredded.shredding.layout

/**
 * How a shredded Variant is laid out as a Parquet group. Both layouts have the same tree of
 * positions; they differ in the names of columns, and in where the names of fields are.
 */
sealed trait Layout {

  /** Name of the untyped column of a position. */
  def value: String

  /** Name of the typed column of a position. */
  def typed(typedValue: TypedValue): String
}

object Layout {

  /** The VariantShredding spec: one `metadata` for all of a Variant. */
  case object Spec extends Layout {
    override def value: String = "value"
    override def typed(typedValue: TypedValue): String = "typed_value"
  }

  /**
   * The earlier layout of Spark: an `untyped_value` is a Variant by itself, its metadata before its
   * value.
   */
  case object Overview extends Layout {
    override def value: String = "untyped_value"
    override def typed(typedValue: TypedValue): String = typedValue match {
      case _: TypedValue.Primitive   => "typed_value"
      case _: TypedValue.ListGroup   => "array"
      case _: TypedValue.ObjectGroup => "object"
    }
  }
}
