package io.github.variantshredded.shredding.layout

import java.nio.charset.StandardCharsets.UTF_8

/**
 * Holds the fields of an object sorted by name. Readers of many files share the arrays, and must not
 * change them.
 */
final class FieldOrder(inFile: Vector[String]) {

  /** For each field, its index in the order of the file. */
  val indexes: Array[Int] = inFile.indices.sortBy(inFile).toArray

  /** The names in UTF-8. */
  val names: Array[Array[Byte]] = indexes.map(inFile(_).getBytes(UTF_8))
}
