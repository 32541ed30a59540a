package io.github.variantshredded.simulation

import org.scalatest.funsuite.AnyFunSuite

class SimulatedCommitsSuite extends AnyFunSuite {

  test("400 simulations of slow, suspended and dead processes end as if one came after the other") {
    (1 to 400).foreach(new SimulatedCommits(_).check())
  }

  test("an overwrite that another job has finished keeps its files, if writing its note failed") {
    new SimulatedCommits(2070702362).check()
  }
}
