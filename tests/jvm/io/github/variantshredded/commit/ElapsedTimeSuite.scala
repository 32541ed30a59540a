package io.github.variantshredded.commit

import org.scalatest.funsuite.AnyFunSuite

class ElapsedTimeSuite extends AnyFunSuite {

  private class Machine {
    var awake = 5000L
    var wall = 1700000000000L
    private val elapsed = new ElapsedTime(() => awake * 1000000, () => wall)
    private val start = elapsed.nanos

    def runs(millis: Long): Unit = { awake += millis; wall += millis }
    def isSuspended(millis: Long): Unit = wall += millis
    def millis: Long = (elapsed.nanos - start) / 1000000
  }

  test("time for which the machine is suspended is counted") {
    val machine = new Machine
    machine.runs(20)
    machine.isSuspended(90000)
    machine.runs(30)
    assert(machine.millis === 90050)
    machine.runs(10)
    assert(machine.millis === 90060)
  }

  test("a time of day that is set back, or corrected by less than a second, changes nothing") {
    val machine = new Machine
    machine.runs(100)
    machine.wall -= 3600000
    assert(machine.millis === 100)
    machine.runs(100)
    machine.wall += 900
    assert(machine.millis === 200)
  }
}
