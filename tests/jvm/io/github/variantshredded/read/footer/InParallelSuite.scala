package io.github.variantshredded.read.footer

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

/** Footers are read at the same time, as many as memory allows. */
class InParallelSuite extends AnyFunSuite {

  private def arrive(latch: CountDownLatch): Boolean = {
    latch.countDown()
    latch.await(60, TimeUnit.SECONDS)
  }

  test("the first eight are read at the same time, and then 64") {
    val first = new CountDownLatch(8)
    val others = new CountDownLatch(64)
    val met = new InParallel(64).apply(0 until 72) { file =>
      arrive(if (file < 8) first else others)
    }
    assert(met === Seq.fill(72)(true))
  }

  test("no more than that, in all calls together") {
    val most = 10
    val running = new AtomicInteger
    val greatest = new AtomicInteger
    val inParallel = new InParallel(most)
    def read(file: Int): Int = {
      val now = running.incrementAndGet()
      greatest.accumulateAndGet(now, math.max(_, _))
      Thread.sleep(2)
      running.decrementAndGet()
      -file
    }
    val results = new Array[Seq[Int]](3)
    val calls = results.indices.map { call =>
      new Thread(() => results(call) = inParallel(0 until 60)(read))
    }
    calls.foreach(_.start())
    calls.foreach(_.join())
    assert(results.forall(_ == (0 until 60).map(-_)))
    assert(greatest.get <= most)
  }

  test("the error of the first file is thrown, and others can be read afterwards") {
    val inParallel = new InParallel(4)
    def read(file: Int): Int = if (file % 10 == 5) throw new Error(s"file $file") else file
    assert(intercept[Error](inParallel(0 until 30)(read)).getMessage === "file 5")
    assert(intercept[Error](inParallel(6 until 30)(read)).getMessage === "file 15")
    assert(inParallel(16 until 25)(read) === (16 until 25))
  }

  test("wide footers are read with fewer at the same time") {
    assert(FootersAtOnce.most(1L << 30, 64 << 10) === 64)
    assert(FootersAtOnce.most(1L << 30, 256 << 10) === 25)
    assert(FootersAtOnce.most(1L << 30, 1 << 20) === 8)
    assert(FootersAtOnce.most(16L << 30, 1 << 20) === 64)
    assert(FootersAtOnce.most(1L << 20, 1 << 20) === 8)
    assert(FootersAtOnce.most(Long.MaxValue, 1) === 64)
  }
}
