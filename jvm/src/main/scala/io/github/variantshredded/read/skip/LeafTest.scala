package io.github.variantshredded.read.skip

import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.predicate.ValueTest._
import io.github.variantshredded.shredding.layout.Layout
import org.apache.spark.sql.types.DataType

/** A condition on one leaf column, which a row may meet or not. */
private[skip] sealed trait LeafTest {

  /** Path of the leaf. */
  def leaf: Seq[String]

  /** False only if none of the values, nulls included, meets it. */
  def mayBeTrue(range: LeafRange): Boolean

  /** True only if each of the values, nulls included, meets it: then no page needs to be looked at. */
  def isCertain(range: LeafRange): Boolean
}

private[skip] object LeafTest {

  /** The untyped column has something other than a Variant null. */
  final case class NotVoid(leaf: Seq[String], layout: Layout) extends LeafTest {
    override def mayBeTrue(range: LeafRange): Boolean = layout match {
      case Layout.Spec     => !range.isVoid
      case Layout.Overview => !range.isOwnVoid
    }
    override def isCertain(range: LeafRange): Boolean = false
  }

  final case class NotNull(leaf: Seq[String]) extends LeafTest {
    override def mayBeTrue(range: LeafRange): Boolean = !range.allNull
    override def isCertain(range: LeafRange): Boolean = range.noNull
  }

  final case class HasNull(leaf: Seq[String]) extends LeafTest {
    override def mayBeTrue(range: LeafRange): Boolean = !range.noNull
    override def isCertain(range: LeafRange): Boolean = range.allNull
  }

  /**
   * The operand's value passes a test, or to compute it fails.
   *
   * @param values
   *   how the leaf's values become the operand's; None if nothing is known but that nulls stay null
   * @param orNull
   *   whether the operand may be null in rows where the leaf is not
   */
  final class Passes(
      val leaf: Seq[String],
      val values: Option[StoredValues],
      val test: ValueTest,
      dataType: DataType,
      orNull: Boolean
  ) extends LeafTest {
    private val evaluator = new TestEvaluator(test, dataType)

    override def mayBeTrue(range: LeafRange): Boolean = evaluator.mayBeTrue(operand(range))

    override def isCertain(range: LeafRange): Boolean = evaluator.isCertain(operand(range))

    private def operand(range: LeafRange): Values = values match {
      case None if range.allNull => Values.OnlyNull
      case None                  => Values.Anything
      case Some(values)          =>
        values.values(range) match {
          case within: Values.Within if orNull => within.copy(hasNull = true)
          case other                           => other
        }
    }

    /** Whether the leaf's distinct values tell whether it is true. */
    def looksAtValues: Boolean = values.isDefined && (test match {
      case IsNull | IsNotNull => false
      case _                  => true
    })

    /** Whether the operand is computed without failing for a `range` of the leaf. */
    def isTotal(range: LeafRange): Boolean =
      values.exists(values => values.isTotal || values.values(range) != Values.Anything)

    /** The values of which one is in the leaf where this is true; None if they are not known. */
    lazy val storedForms: Option[Seq[StoredForm]] = (values, test) match {
      case (Some(values), OneOf(literals, None)) =>
        val forms = literals.map(values.storedFor)
        Option.when(forms.forall(_.isDefined))(forms.flatten)
      case _ => None
    }
  }
}
