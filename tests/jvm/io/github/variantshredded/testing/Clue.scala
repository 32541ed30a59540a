package io.github.variantshredded.testing

/** What an assertion says if it fails. The text is made only then, unlike that of a string. */
final class Clue private (text: => String) {
  override def toString: String = text
}

object Clue {
  def apply(text: => String): Clue = new Clue(text)
}
