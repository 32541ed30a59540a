package io.github.variantshredded.read.skip

import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.predicate.ValueTest._
import io.github.variantshredded.shredding.layout.Layout
import org.apache.spark.sql.types.DataType

/** Tests the values of one leaf column. Each row may pass it or not. */
private[skip] sealed trait LeafTest {

  /** Returns the path of the leaf column. */
  def leaf: Seq[String]

  /** Returns false only if no value in the range, including nulls, passes the test. */
  def mayBeTrue(range: LeafRange): Boolean

  /**
   * Returns true only if every value in the range, including nulls, passes the test. Pages then
   * need not be checked.
   */
  def isCertain(range: LeafRange): Boolean
}

private[skip] object LeafTest {

  /** Tests that the residual column has a value other than a Variant null. */
  final case class NotVariantNull(leaf: Seq[String], layout: Layout) extends LeafTest {
    override def mayBeTrue(range: LeafRange): Boolean = layout match {
      case Layout.Spec     => !range.hasOnlyVariantNulls
      case Layout.Overview => !range.hasOnlyOwnVariantNulls
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
   * Tests that the value of an operand passes `test`, or that computing the operand fails.
   *
   * @param values
   *   how the values of the leaf column are converted to those of the operand; None if it is only
   *   known that null stays null
   * @param orNull
   *   whether the operand may be null in rows in which the leaf column is not null
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

    private def operand(range: LeafRange): PossibleValues = values match {
      case None if range.allNull => PossibleValues.OnlyNull
      case None                  => PossibleValues.Anything
      case Some(values)          =>
        values.values(range) match {
          case within: PossibleValues.Within if orNull => within.copy(hasNull = true)
          case other                                   => other
        }
    }

    /** Returns true if the test can be decided from the distinct values of the leaf column. */
    def looksAtValues: Boolean = values.isDefined && (test match {
      case IsNull | IsNotNull => false
      case _                  => true
    })

    /** Returns true if computing the operand does not fail for any value in `range`. */
    def isTotal(range: LeafRange): Boolean =
      values.exists(values => values.isTotal || values.values(range) != PossibleValues.Anything)

    /** The stored values of which a passing row must have one; None if they are not known. */
    lazy val storedForms: Option[Seq[StoredLiteral]] = (values, test) match {
      case (Some(values), OneOf(literals, None)) =>
        val forms = literals.map(values.storedFor)
        Option.when(forms.forall(_.isDefined))(forms.flatten)
      case _ => None
    }
  }
}
