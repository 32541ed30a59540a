package io.github.variantshredded.testing

/** How many cases a test runs: `CASES=10 make test-jvm` runs ten times as many. */
object Cases {
  private val factor = sys.env.get("CASES").fold(1)(_.toInt)

  def apply(number: Int): Int = number * factor

  /** Every `n`-th element; the first is that of the index `first`. With CASES=`n`, all of them. */
  def everyNth[A](n: Int, first: Int, all: Seq[A]): Seq[A] =
    all.zipWithIndex.collect {
      case (element, i) if Math.floorMod(i - first, n) < factor => element
    }
}
