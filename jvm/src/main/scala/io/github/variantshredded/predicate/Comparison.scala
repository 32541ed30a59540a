package io.github.variantshredded.predicate

/** Compares two values by their order. */
sealed trait Comparison extends Product with Serializable {

  /** Returns the comparison that is true if this one is false, except for nulls. */
  def negated: Comparison

  /** Returns the comparison with its sides swapped. */
  def swapped: Comparison
}

object Comparison {

  case object Less extends Comparison {
    override def negated: Comparison = GreaterOrEqual
    override def swapped: Comparison = Greater
  }

  case object LessOrEqual extends Comparison {
    override def negated: Comparison = Greater
    override def swapped: Comparison = GreaterOrEqual
  }

  case object Greater extends Comparison {
    override def negated: Comparison = LessOrEqual
    override def swapped: Comparison = Less
  }

  case object GreaterOrEqual extends Comparison {
    override def negated: Comparison = Less
    override def swapped: Comparison = LessOrEqual
  }
}
