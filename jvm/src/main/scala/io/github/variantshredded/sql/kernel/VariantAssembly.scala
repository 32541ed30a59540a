package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.MetadataDictionary
import io.github.variantshredded.variant.encode.{MetadataBuilder, RenamingCopy, VariantEncoder}
import org.apache.spark.unsafe.types.VariantVal

/**
 * Builds a Variant from parts of others, whose field names get one new dictionary.
 *
 * The parts must have been checked by [[VariantArguments]].
 *
 * {{{
 * assembly.reset()
 * assembly.encoder.beginArray()
 * assembly.add(dictionary, bytes, pos, limit)
 * assembly.encoder.endArray()
 * assembly.result()
 * }}}
 */
private[sql] final class VariantAssembly {

  private val names = new MetadataBuilder

  /** Writes the value; use the methods of this class for parts with field names. */
  val encoder = new VariantEncoder

  private var source = MetadataDictionary.Empty
  private val renaming = new RenamingCopy(encoder, names) {
    override protected def newId(id: Int): Int = nameOf(source, id)
  }

  /** Discards what was built, and keeps the memory. */
  def reset(): Unit = {
    names.reset()
    encoder.reset()
    renaming.reset()
  }

  /** Sets the name of the field that is added next. */
  def field(utf8: Array[Byte]): Unit = encoder.field(names.add(utf8, 0, utf8.length))

  /** Sets the name of the field that is added next: the one with the id `id` in `dictionary`. */
  def field(dictionary: MetadataDictionary, id: Int): Unit = encoder.field(nameOf(dictionary, id))

  /** Ends the object that was begun last. */
  def endObject(): Unit = encoder.endObject(names)

  /** Checks a whole Variant and copies it. */
  def addWhole(arguments: VariantArguments, variant: VariantVal): Unit =
    add(arguments.checked(variant), variant.getValue, 0, variant.getValue.length)

  /** Copies the value at `pos`. */
  def add(dictionary: MetadataDictionary, bytes: Array[Byte], pos: Int, limit: Int): Unit = {
    source = dictionary
    renaming.copy(bytes, pos, limit)
  }

  /** Returns the Variant that was built. */
  def result(): VariantVal = new VariantVal(encoder.toByteArray, names.build())

  private def nameOf(dictionary: MetadataDictionary, id: Int): Int =
    names.add(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
}
