package io.github.variantshredded.json

/** Follows strings and brackets through the bytes of JSON text. */
private[json] final class JsonNesting {
  private var inString = false
  private var escaped = false
  private var level = 0

  /** Returns the number of objects and arrays that are open. */
  def depth: Int = level

  /** Returns whether the next byte is outside of strings, objects and arrays. */
  def isOutside: Boolean = level == 0 && !inString

  def add(byte: Byte): Unit =
    if (inString) {
      if (escaped) escaped = false
      else if (byte == '\\') escaped = true
      else if (byte == '"') inString = false
    } else {
      byte match {
        case '"'       => inString = true
        case '{' | '[' => level += 1
        case '}' | ']' => if (level > 0) level -= 1
        case _         => ()
      }
    }

  def clear(): Unit = {
    inString = false
    escaped = false
    level = 0
  }
}
