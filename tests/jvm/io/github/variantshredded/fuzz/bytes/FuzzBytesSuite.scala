package io.github.variantshredded.fuzz.bytes

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/**
 * A short run of what `make fuzz-bytes` runs at length: the inputs that are kept of each target, some
 * of its seeds, and a fixed number of changes of these.
 */
class FuzzBytesSuite extends AnyFunSuite {
  import FuzzBytesSuite._

  FuzzTarget.all.foreach { target =>
    test(s"${target.name}: the corpus") {
      Corpus.keptOf(target).foreach(run(target, _))
      Corpus
        .seedsOf(target)
        .zipWithIndex
        .collect { case (seed, i) if i % Steps(target.name) == 0 => seed }
        .foreach(run(target, _))
    }

    test(s"${target.name}: changed inputs") {
      val seed = 20241118L
      info(s"seed $seed")
      val rng = new Random(seed)
      val inputs = Corpus.of(target).map(_._2).toVector
      (0 until Changes(target.name)).foreach { trial =>
        val data = changed(inputs, rng).take(target.maxLength)
        run(target, s"trial $trial, input ${hex(data)}" -> data)
      }
    }
  }

  test("files: each is read as it is") {
    FilesTarget.readUnchanged()
  }

  test("files: some are refused, some are read") {
    info(s"${FilesTarget.accepted} were read, ${FilesTarget.refused} refused")
    assert(FilesTarget.accepted > 10 && FilesTarget.refused > 10)
  }

  /** In a thread of its own, so that an endless loop is a failure. */
  private def run(target: FuzzTarget, input: (String, Array[Byte])): Unit = {
    val (name, data) = input
    @volatile var failure: Option[Throwable] = None
    val thread = new Thread(() =>
      try target.run(data)
      catch { case e: Throwable => failure = Some(e) }
    )
    thread.setDaemon(true)
    thread.start()
    thread.join(Timeout)
    if (thread.isAlive)
      fail(s"$name: no end in $Timeout ms: ${thread.getStackTrace.take(25).mkString("\n  ")}")
    failure.foreach(e => fail(s"$name: $e", e))
  }

  private def changed(inputs: Vector[Array[Byte]], rng: Random): Array[Byte] = {
    val data = inputs(rng.nextInt(inputs.size)).clone()
    (0 to rng.nextInt(3)).foldLeft(data) { (before, _) =>
      val at = rng.nextInt(before.length + 1)
      rng.nextInt(4) match {
        case 0 => before.take(at) ++ rng.nextBytes(1 + rng.nextInt(8)) ++ before.drop(at)
        case 1 =>
          val other = inputs(rng.nextInt(inputs.size))
          before.take(at) ++ other.drop(rng.nextInt(other.length + 1))
        case 2 if at < before.length => before.updated(at, rng.nextInt().toByte)
        case _ if at < before.length =>
          before.updated(at, (before(at) ^ 1 << rng.nextInt(8)).toByte)
        case _ => before
      }
    }
  }

  private def hex(data: Array[Byte]): String = data.map(byte => f"$byte%02x").mkString
}

private object FuzzBytesSuite {
  private val Timeout = 60000L

  /** How many changed inputs are tried. */
  private val Changes = Map("variants" -> 300, "files" -> 120, "texts" -> 1000)

  /** Of so many seeds one is tried as it is. A file is read in all ways by another test. */
  private val Steps = Map("variants" -> 1, "files" -> 11, "texts" -> 1)
}
