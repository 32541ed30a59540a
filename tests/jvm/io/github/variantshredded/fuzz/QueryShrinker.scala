package io.github.variantshredded.fuzz

import scala.annotation.tailrec

/** Makes a query that fails smaller while it fails in the same way. */
object QueryShrinker {

  private val MaxAttempts = 150

  def apply(query: FuzzQuery, oracle: QueryOracle, difference: Difference): FuzzQuery = {
    var attempts = 0
    def stillFails(candidate: FuzzQuery): Boolean = {
      attempts += 1
      oracle.check(candidate).difference.exists(_.kind == difference.kind)
    }
    @tailrec
    def smallest(current: FuzzQuery): FuzzQuery =
      current.smaller.takeWhile(_ => attempts < MaxAttempts).find(stillFails) match {
        case Some(smaller) => smallest(smaller)
        case None          => current
      }
    smallest(query)
  }
}
