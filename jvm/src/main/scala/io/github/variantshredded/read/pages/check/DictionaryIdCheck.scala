package io.github.variantshredded.read.pages.check

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}

/**
 * Checks that the pages of a column have a dictionary id for each value, and only ids of the
 * dictionary (see [[PageCheck]]).
 */
private[check] final class DictionaryIdCheck(levels: LevelCheck) {

  /** The number of values in the dictionary; Int.MaxValue until the dictionary has been read. */
  var dictionarySize: Int = Int.MaxValue

  /**
   * Checks the ids of a page.
   *
   * @param in
   *   the values of the page: the number of bits of an id, and the ids
   * @param count
   *   the number of values of the page, nulls included
   * @param definition
   *   the definition levels; not read if the column has none
   */
  def check(in: ByteBuffer, count: Int, definition: ByteBuffer): Unit = {
    val width = if (in.hasRemaining) in.get() & 0xff else -1
    if (width < 0) levels.checkPresent(0, "dictionary ids", count, definition)
    else if (width == 0) {
      if (dictionarySize == 0) checkFirstUnknown(0, count, definition)
    } else if (width <= 32) {
      // Bytes after the last id need not be a run. Only if they are none, the ids are counted.
      try checkIdRuns(in, width, count, count, definition)
      catch {
        case _: VariantShreddedException =>
          checkIdRuns(in, width, levels.present(count, definition), count, definition)
      }
    }
  }

  /**
   * Checks ids up to the run in which the number `most` is reached.
   *
   * @param count
   *   the number of values of the page, nulls included
   */
  private def checkIdRuns(
      in: ByteBuffer,
      width: Int,
      most: Int,
      count: Int,
      definition: ByteBuffer
  ): Unit = {
    val runs = new HybridRuns(width)
    levels.checkPresent(
      runs.count(in.duplicate(), most.toLong),
      "dictionary ids",
      count,
      definition
    )
    val unknown = runs.firstFrom(in.duplicate(), dictionarySize, most.toLong)
    checkFirstUnknown(unknown, count, definition)
  }

  /**
   * Refuses a page with an id that the dictionary does not have.
   *
   * @param first
   *   index of the first such id, -1 if there is none; ids after the last value are padding and may
   *   be anything
   */
  private def checkFirstUnknown(first: Long, count: Int, definition: ByteBuffer): Unit =
    if (first >= 0 && first < levels.present(count, definition)) {
      throw VariantShreddedErrors.corruptFile(
        s"A page has an id that is not in the dictionary of $dictionarySize values.",
        ErrorLocation()
      )
    }
}
