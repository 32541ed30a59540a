package io.github.variantshredded.testing

/** How many random cases a test runs: `CASES=10 make test-jvm` runs ten times as many. */
object Cases {
  private val factor = sys.env.get("CASES").fold(1)(_.toInt)

  def apply(number: Int): Int = number * factor
}
