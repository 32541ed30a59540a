package io.github.variantshredded.shredding

import scala.collection.mutable

import io.github.variantshredded.errors.VariantShreddedException

/**
 * Parses lists of paths as users write them, with a type after each path if paths are pinned.
 *
 * {{{
 * list   ::= entry ("," entry)*
 * entry  ::= path [type]                    as in `$.ts timestamp`; types as in ShreddingText
 * path   ::= "$" step*
 * step   ::= "." name | "['" name "']" | "[\"" name "\"]" | "[*]"
 * }}}
 *
 * A name after a dot ends before the next `.`, `[`, comma or blank. A name in quotes can contain
 * any character; a backslash precedes quotes and backslashes.
 */
private[variantshredded] object PathsText {

  /** Represents one step of a path: from a value to a field or to all elements. */
  sealed trait PatternStep

  object PatternStep {
    final case class Field(name: String) extends PatternStep
    case object Element extends PatternStep
  }

  /**
   * Holds a path with its type.
   *
   * @param text
   *   the path as the user wrote it
   */
  final case class Entry(text: String, steps: Vector[PatternStep], schema: Option[ShreddingSchema])

  /**
   * Parses a list.
   *
   * @param typed
   *   whether each path has a type; if not, no path may have one
   * @return
   *   the entries, or the error with its position
   */
  def parse(text: String, typed: Boolean): Either[String, Vector[Entry]] =
    try Right(new Parser(text, typed).parse())
    catch { case e: Malformed => Left(e.reason) }

  private final class Malformed(val reason: String)
      extends RuntimeException(reason, null, false, false)

  private final class Parser(text: String, typed: Boolean) {
    private var position = 0

    def parse(): Vector[Entry] = {
      val entries = Vector.newBuilder[Entry]
      var more = true
      while (more) {
        skipBlanks()
        entries += entry()
        skipBlanks()
        more = position < text.length
        if (more) expect(',')
      }
      entries.result()
    }

    private def entry(): Entry = {
      val start = position
      expect('$')
      val steps = Vector.newBuilder[PatternStep]
      while (isAt('.') || isAt('[')) steps += step()
      val path = text.substring(start, position)
      skipBlanks()
      val schema = if (typed) Some(typeOf(path)) else None
      Entry(path, steps.result(), schema)
    }

    private def step(): PatternStep =
      if (isAt('.')) {
        position += 1
        val start = position
        while (position < text.length && !isEnd(text.charAt(position))) position += 1
        if (position == start) throw unexpected("a field's name")
        PatternStep.Field(text.substring(start, position))
      } else {
        position += 1
        val step =
          if (isAt('*')) {
            position += 1
            PatternStep.Element
          } else if (isAt('\'') || isAt('"')) PatternStep.Field(quoted())
          else throw unexpected("a name between quotes, or '*' for the elements")
        expect(']')
        step
      }

    private def quoted(): String = {
      val start = position
      val quote = text.charAt(position)
      val name = new StringBuilder
      position += 1
      while (position < text.length && text.charAt(position) != quote) {
        if (text.charAt(position) == '\\' && position + 1 < text.length) position += 1
        name.append(text.charAt(position))
        position += 1
      }
      if (position == text.length) {
        position = start
        throw error("the quote is not closed")
      }
      position += 1
      name.toString
    }

    private def typeOf(path: String): ShreddingSchema = {
      val start = position
      skipType()
      val written = text.substring(start, position).trim
      if (written.isEmpty) throw error(s"$path has no type")
      // The type is parsed as the type of a field, because a list of fields alone is not a type
      // here.
      try
        ShreddingText.parse(s"x $written") match {
          case ShreddingSchema.ObjectOf(Vector((_, schema))) => schema
          case _                                             => throw noType(start, written)
        }
      catch { case _: VariantShreddedException => throw noType(start, written) }
    }

    private def noType(start: Int, written: String): Malformed = {
      position = start
      error(s"'$written' is not a type")
    }

    private def skipType(): Unit = {
      val open = new mutable.Stack[Char]
      var isQuoted = false
      while (
        position < text.length && (isQuoted || open.nonEmpty || text.charAt(position) != ',')
      ) {
        text.charAt(position) match {
          case '`'                                     => isQuoted = !isQuoted
          case c @ ('<' | '(') if !isQuoted            => open.push(c)
          case '>' | ')' if !isQuoted && open.nonEmpty => open.pop()
          case _                                       => ()
        }
        position += 1
      }
    }

    private def isEnd(c: Char): Boolean =
      c == '.' || c == '[' || c == ',' || Character.isWhitespace(c)

    private def isAt(c: Char): Boolean = position < text.length && text.charAt(position) == c

    private def expect(c: Char): Unit = {
      if (!isAt(c)) throw unexpected(s"'$c'")
      position += 1
    }

    private def skipBlanks(): Unit =
      while (position < text.length && Character.isWhitespace(text.charAt(position))) position += 1

    private def unexpected(expected: String): Malformed = {
      val found =
        if (position == text.length) "the end"
        else s"'${new String(Character.toChars(text.codePointAt(position)))}'"
      error(s"expected $expected, found $found")
    }

    private def error(reason: String): Malformed =
      new Malformed(s"at character ${position + 1}: $reason")
  }
}
