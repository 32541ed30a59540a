package io.github.variantshredded.fuzz

import scala.util.Random

/** Random choices that a seed determines. */
final class Dice(seed: Long) {

  val rng = new Random(seed)

  def below(n: Int): Int = rng.nextInt(n)

  def between(least: Int, most: Int): Int = least + rng.nextInt(most - least + 1)

  def oneIn(n: Int): Boolean = rng.nextInt(n) == 0

  /** True with the probability `share`. */
  def chance(share: Double): Boolean = rng.nextDouble() < share

  def pick[T](from: Seq[T]): T = from(rng.nextInt(from.size))

  /** Up to `most` different ones, in random order. */
  def some[T](from: Seq[T], most: Int): Vector[T] =
    rng.shuffle(from.toVector.distinct).take(most)

  /** One of the values, each as often as its weight says. */
  def weighted[T](choices: (Int, T)*): T = {
    val at = rng.nextInt(choices.map(_._1).sum)
    val ends = choices.scanLeft(0)(_ + _._1).tail
    choices(ends.indexWhere(at < _))._2
  }
}

object Dice {

  /** The dice of a part of a run: other parts do not change what it throws. */
  def of(seed: Long, parts: Long*): Dice = new Dice(parts.foldLeft(seed) { (mixed, part) =>
    val x = (mixed ^ (part + 0x9e3779b97f4a7c15L)) * 0xbf58476d1ce4e5b9L
    x ^ (x >>> 29)
  })
}
