package io.github.variantshredded.json

import java.io.{Closeable, InputStream}
import java.util.Arrays

/**
 * Cuts a stream into the texts of JSON values, without parsing them. A text is valid until the next
 * one is asked for.
 */
private[json] abstract class JsonTexts(in: InputStream) extends Closeable {
  private val buffer = new Array[Byte](JsonTexts.BufferBytes)
  private var position = 0
  private var limit = 0
  private var passed = 0L
  private var newlines = 0L
  private var content = new Array[Byte](4096)
  private var size = 0
  private var firstLine = 0L

  /** Returns an array whose first [[length]] bytes are the text. */
  final def bytes: Array[Byte] = content
  final def length: Int = size

  /** Returns the line on which the text begins, from 0 for the line at which the stream begins. */
  final def line: Long = firstLine

  /** Returns what is wrong about where the text is in the file; None if nothing is. */
  def flaw: Option[String] = None

  /** Moves to the next text that is not blank; returns false at the end. */
  def next(): Boolean

  override final def close(): Unit = in.close()

  /** Returns the number of bytes that have been taken from the stream. */
  protected final def taken: Long = passed

  /** Returns the next byte, or -1 at the end. */
  protected final def take(): Int =
    if (position == limit && !fill()) -1
    else {
      val byte = buffer(position)
      position += 1
      passed += 1
      if (byte == '\n') newlines += 1
      byte & 0xff
    }

  private def fill(): Boolean = {
    limit = math.max(in.read(buffer, 0, buffer.length), 0)
    position = 0
    limit > 0
  }

  /** Begins a text with the next byte that is added. */
  protected final def begin(): Unit = size = 0

  /** Notes that the text begins on the line of the byte that was taken last. */
  protected final def markLine(): Unit = firstLine = newlines

  protected final def add(byte: Int): Unit = {
    if (size == content.length) grow(size + 1)
    content(size) = byte.toByte
    size += 1
  }

  /** Adds the rest of a line; returns false at the end of the stream. */
  protected final def addLine(): Boolean = {
    var ended = false
    var more = true
    while (!ended && more) {
      if (position == limit) more = fill()
      if (more) {
        var end = position
        while (end < limit && buffer(end) != '\n') end += 1
        val count = end - position
        if (size + count > content.length) grow(size + count)
        System.arraycopy(buffer, position, content, size, count)
        size += count
        ended = end < limit
        if (ended) newlines += 1
        val next = if (ended) end + 1 else end
        passed += next - position
        position = next
      }
    }
    ended
  }

  /** Takes the next line that is not blank, if it begins within so many bytes of the stream. */
  protected final def takeLine(within: Long): Boolean = {
    var found = false
    var more = true
    while (!found && more && taken < within) {
      begin()
      markLine()
      more = addLine()
      found = length > 0 && !isBlank
    }
    found
  }

  private def isBlank: Boolean = JsonBytes.isBlank(content, 0, size)

  private def grow(needed: Int): Unit = {
    if (needed < 0 || needed > JsonTexts.MaxBytes)
      throw new JsonTexts.TooLong(firstLine)
    content = Arrays.copyOf(content, math.max(needed, math.min(size * 2, JsonTexts.MaxBytes)))
  }
}

private[json] object JsonTexts {
  private final val BufferBytes = 1 << 16

  /** Spark's parser makes no Variant of a text of this size. */
  final val MaxBytes: Int = 512 << 20

  /** Says that a text is longer than [[MaxBytes]]. */
  final class TooLong(val line: Long) extends RuntimeException

  /**
   * Returns the texts of a stream.
   *
   * @param length
   *   for lines: only those that begin within so many bytes are returned
   */
  def of(form: JsonForm, in: InputStream, length: Long): JsonTexts = form match {
    case JsonForm.Lines  => new LineTexts(in, length)
    case JsonForm.Array  => new ElementTexts(in)
    case JsonForm.Values => new ValueTexts(in)
  }
}

/** Takes each line as one text. */
private final class LineTexts(in: InputStream, within: Long) extends JsonTexts(in) {

  override def next(): Boolean = takeLine(within)
}

/** Takes the elements of an array, whose bracket is the first byte that is not blank. */
private final class ElementTexts(in: InputStream) extends JsonTexts(in) {
  private val nesting = new JsonNesting
  private var isOpen = false
  private var isDone = false
  private var isFirst = true

  /** Whether the array has ended, or there is none: each line is a text with a flaw. */
  private var isOutside = false

  /** Whether the last element has been returned. */
  private var isEnding = false
  private var wrong = Option.empty[String]

  override def flaw: Option[String] = wrong

  override def next(): Boolean =
    if (isDone) false
    else if (isOutside) takeLine(Long.MaxValue)
    else if (isEnding) end()
    else if (isOpen || open()) element()
    else length > 0

  /** Takes the bracket; returns false if there is another byte, which begins a text with a flaw. */
  private def open(): Boolean = {
    begin()
    val byte = skipBlanks()
    isOpen = byte == '['
    if (byte < 0) isDone = true
    else if (!isOpen) rest(byte, "It is not in an array.")
    isOpen
  }

  private def element(): Boolean = {
    begin()
    nesting.clear()
    var byte = skipBlanks()
    val isEmpty = byte == ']' && isFirst
    isFirst = false
    while (byte >= 0 && !(nesting.isOutside && (byte == ',' || byte == ']'))) {
      nesting.add(byte.toByte)
      add(byte)
      byte = take()
    }
    if (byte < 0) {
      isDone = true
      wrong = Some("The array has no end.")
      true
    } else if (byte == ',') true
    else if (isEmpty) end()
    else {
      isEnding = true
      true
    }
  }

  private def end(): Boolean = {
    begin()
    val byte = skipBlanks()
    isDone = byte < 0
    if (isDone) false
    else {
      rest(byte, "It follows the end of the array.")
      true
    }
  }

  private def rest(first: Int, reason: String): Unit = {
    isOutside = true
    wrong = Some(reason)
    add(first)
    val _ = addLine()
  }

  private def skipBlanks(): Int = {
    var byte = take()
    while (byte >= 0 && JsonBytes.isSpace(byte.toByte)) byte = take()
    markLine()
    byte
  }
}

/** Reads values one after another. One that is no object or array ends at the end of its line. */
private final class ValueTexts(in: InputStream) extends JsonTexts(in) {
  private val nesting = new JsonNesting

  override def next(): Boolean = {
    begin()
    nesting.clear()
    var byte = take()
    while (byte >= 0 && JsonBytes.isSpace(byte.toByte)) byte = take()
    markLine()
    if (byte < 0) false
    else {
      val isNested = byte == '{' || byte == '['
      var ended = false
      while (byte >= 0 && !ended) {
        add(byte)
        nesting.add(byte.toByte)
        if (isNested && nesting.depth == 0) ended = true
        else {
          byte = take()
          if (!isNested && byte == '\n') ended = true
        }
      }
      true
    }
  }
}
