package io.github.variantshredded.fuzz.bytes

/** A part of the product that a fuzzer gives bytes to. */
trait FuzzTarget {

  /** As `make fuzz-bytes TARGET=...` names it. */
  def name: String

  /** Inputs to begin with, always the same. */
  def seeds: Seq[Array[Byte]]

  /** Longest input that is worth trying. */
  def maxLength: Int

  /**
   * Whether the product gets an input as it is, so that what it compares bytes with tells the fuzzer
   * which bytes to try. It costs time.
   */
  def isTaken: Boolean

  /**
   * Gives `data` to the product.
   *
   * @throws java.lang.Throwable
   *   if the product does anything but what it promises: an error that is not documented, an answer
   *   that is not that of a second decoder, more memory than the input justifies
   */
  def run(data: Array[Byte]): Unit
}

object FuzzTarget {
  val all: Seq[FuzzTarget] = Seq(VariantsTarget, FilesTarget, TextsTarget)

  def named(name: String): FuzzTarget = all.find(_.name == name).getOrElse {
    throw new IllegalArgumentException(
      s"There is no target '$name', but ${all.map(_.name).mkString(", ")}."
    )
  }
}
