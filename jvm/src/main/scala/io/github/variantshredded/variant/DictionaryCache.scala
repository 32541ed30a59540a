package io.github.variantshredded.variant

import scala.reflect.ClassTag

/**
 * Keeps what was made of the metadata dictionaries seen last; one thread.
 *
 * Rows of one shape share their metadata byte by byte, so most look-ups are one comparison with the
 * row before. The others go by a hash of the bytes to a slot, whose entry is replaced by the latest.
 *
 * @param compile
 *   makes an entry; the dictionary it gets owns its bytes
 */
private[variantshredded] final class DictionaryCache[T <: AnyRef: ClassTag](
    compile: MetadataDictionary => T
) {
  import DictionaryCache._

  private val dictionaries = new Array[MetadataDictionary](Slots)
  private val entries = new Array[T](Slots)
  private var lastDictionary: MetadataDictionary = _
  private var lastEntry: T = _

  /**
   * The entry for the metadata in [pos, pos + length).
   *
   * @throws io.github.variantshredded.VariantShreddedException
   *   `MALFORMED_VARIANT` if it is no metadata
   */
  def get(bytes: Array[Byte], pos: Int, length: Int): T = {
    if (lastDictionary == null || !lastDictionary.hasBytes(bytes, pos, length))
      lookUp(bytes, pos, length)
    lastEntry
  }

  private def lookUp(bytes: Array[Byte], pos: Int, length: Int): Unit =
    if (length > MaxKeptBytes) keep(bytes, pos, length)
    else {
      val slot = ByteHash.of(bytes, pos, length) & (Slots - 1)
      val known = dictionaries(slot)
      if (known != null && known.hasBytes(bytes, pos, length)) {
        lastDictionary = known
        lastEntry = entries(slot)
      } else {
        keep(bytes, pos, length)
        dictionaries(slot) = lastDictionary
        entries(slot) = lastEntry
      }
    }

  private def keep(bytes: Array[Byte], pos: Int, length: Int): Unit = {
    val dictionary = MetadataDictionary.parse(bytes, pos, length).detached
    lastEntry = compile(dictionary)
    lastDictionary = dictionary
  }
}

private[variantshredded] object DictionaryCache {

  /** Dictionaries that are kept; a power of two. */
  private final val Slots = 512

  /** Longer metadata is kept until the next one only, so that memory stays bounded. */
  private final val MaxKeptBytes = 16 * 1024
}
