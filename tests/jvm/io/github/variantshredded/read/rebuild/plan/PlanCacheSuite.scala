package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.variant.MetadataDictionary
import org.scalatest.funsuite.AnyFunSuite

class PlanCacheSuite extends AnyFunSuite {

  private val plan =
    new MetadataPlan(Array[Byte](1, 0, 0), MetadataDictionary.Empty, Array.empty, isUnique = true)

  private def cache(keys: Seq[Int])(size: Int => Long): PlanCache[Int] = {
    val result = new PlanCache[Int]((key, _) => size(key))
    keys.foreach(result.add(_, plan))
    result
  }

  private def kept(cache: PlanCache[Int], keys: Seq[Int]): Seq[Int] =
    keys.filter(key => cache.get(key) != null)

  test("the plans used last stay, up to 4096") {
    val keys = 0 until 5000
    assert(kept(cache(keys)(_ => 1), keys) === keys.drop(5000 - 4096))
  }

  test("many small ones make room for a few large ones") {
    val keys = 0 until 4003
    val large = 20L * 1024 * 1024
    assert(kept(cache(keys)(key => if (key < 4000) 1000 else large), keys) === Seq(4002))
  }

  test("one that is larger than the whole cache is kept until the next") {
    assert(kept(cache(Seq(1, 2))(_ => Long.MaxValue / 4), Seq(1, 2)) === Seq(2))
  }

  test("one that has grown since it was added gives back what it took") {
    val size = 10L * 1024 * 1024
    var grown = 0L
    val plans = new PlanCache[Int]((_, _) => size + grown)
    (0 until 3).foreach(plans.add(_, plan))
    grown = size
    plans.add(3, plan)
    assert(kept(plans, 0 until 4) === Seq(2, 3))
  }

  test("one that was asked for outlives one that was not") {
    val plans = cache(0 until 4096)(_ => 1)
    assert(plans.get(0) eq plan)
    plans.add(5000, plan)
    assert(kept(plans, Seq(0, 1, 5000)) === Seq(0, 5000))
  }
}
