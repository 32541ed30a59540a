package io.github.variantshredded.testing

import org.scalacheck.Shrink
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** What suites of random files share. */
abstract class RandomSuite extends AnyFunSuite with ScalaCheckPropertyChecks with TemporaryFolder {

  /** So many cases of each property, or more ([[Cases]]). */
  protected def cases(number: Int): PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Cases(number)))

  // Smaller values or another seed would be another file altogether.
  implicit protected def noShrink[T]: Shrink[T] = Shrink.shrinkAny
}
