package io.github.variantshredded.simulation

import io.github.variantshredded.simulation.Event.{Look, Write}
import org.scalatest.funsuite.AnyFunSuite

class SerialHistorySuite extends AnyFunSuite {

  private def append(job: String, start: Int, end: Int, isCertain: Boolean = true) =
    Write(job, overwrites = false, adds = true, isCertain, start, end)

  private def overwrite(job: String, start: Int, end: Int, adds: Boolean = true) =
    Write(job, overwrites = true, adds, isCertain = true, start, end)

  private def explains(last: String*)(events: Event*): Boolean =
    SerialHistory.explains(events, Set("old"), last.toSet)

  test("rows of a job that has succeeded are not lost") {
    assert(explains("old", "a", "b")(append("a", 1, 5), append("b", 2, 6)))
    assert(!explains("old", "b")(append("a", 1, 5), append("b", 2, 6)))
  }

  test("an overwrite leaves the rows of later jobs only") {
    assert(explains("a")(append("b", 1, 5), overwrite("a", 2, 6)))
    assert(explains("a", "b")(append("b", 1, 5), overwrite("a", 2, 6)))
    assert(!explains("a", "b")(append("b", 1, 5), overwrite("a", 6, 9)))
    assert(!explains("old", "a")(overwrite("a", 1, 5)))
    assert(explains()(overwrite("a", 1, 5, adds = false)))
    assert(!explains("old")(overwrite("a", 1, 5, adds = false)))
  }

  test("a job that may have failed has taken effect or not") {
    val uncertain = append("a", 1, Int.MaxValue, isCertain = false)
    assert(explains("old")(uncertain))
    assert(explains("old", "a")(uncertain))
    assert(!explains("a")(uncertain))
  }

  test("readers see a state that was there while they looked") {
    val commit = append("a", 5, 9)
    assert(explains("old", "a")(commit, Look(Set("old"), 1, 6)))
    assert(explains("old", "a")(commit, Look(Set("old", "a"), 6, 7)))
    assert(!explains("old", "a")(commit, Look(Set("old", "a"), 1, 4)))
    assert(!explains("old", "a")(commit, Look(Set("old"), 10, 12)))
    assert(!explains("old", "a")(commit, Look(Set("old", "a"), 6, 7), Look(Set("old"), 8, 8)))
  }
}
