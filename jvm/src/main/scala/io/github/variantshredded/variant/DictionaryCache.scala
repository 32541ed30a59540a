package io.github.variantshredded.variant

import java.util.Arrays

import scala.reflect.ClassTag

/**
 * Caches what a caller compiles from a metadata dictionary, for the dictionaries that were seen
 * last. One instance serves one thread.
 *
 * Rows of one shape share their metadata byte by byte, so most look-ups are one comparison with the
 * row before. The others use a hash of the bytes. When the cache is full, it is emptied.
 *
 * @param compile
 *   makes an entry; the dictionary that it gets owns its bytes
 */
private[variantshredded] final class DictionaryCache[T <: AnyRef: ClassTag](
    compile: MetadataDictionary => T
) {
  import DictionaryCache._

  private val dictionaries = new Array[MetadataDictionary](MaxKept)
  private val entries = new Array[T](MaxKept)
  private val hashes = new Array[Int](MaxKept)
  private var count = 0

  // Indexes of the entries plus 1, by hash; at most half of the slots are taken.
  private val slots = new Array[Int](2 * MaxKept)

  private var lastDictionary: MetadataDictionary = _
  private var lastEntry: T = _

  /**
   * Returns the entry for the metadata in [pos, pos + length), and compiles it if it is not cached.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if the bytes are not valid metadata
   */
  def get(bytes: Array[Byte], pos: Int, length: Int): T = {
    if (lastDictionary == null || !lastDictionary.hasBytes(bytes, pos, length))
      lookUp(bytes, pos, length)
    lastEntry
  }

  private def lookUp(bytes: Array[Byte], pos: Int, length: Int): Unit =
    if (length > MaxKeptBytes) keep(bytes, pos, length)
    else {
      if (count == MaxKept) forget()
      val hash = ByteHash.of(bytes, pos, length)
      var slot = hash & (slots.length - 1)
      var index = slots(slot) - 1
      while (index >= 0 && !isEntry(index, hash, bytes, pos, length)) {
        slot = (slot + 1) & (slots.length - 1)
        index = slots(slot) - 1
      }
      if (index < 0) {
        keep(bytes, pos, length)
        dictionaries(count) = lastDictionary
        entries(count) = lastEntry
        hashes(count) = hash
        count += 1
        slots(slot) = count
      } else {
        lastDictionary = dictionaries(index)
        lastEntry = entries(index)
      }
    }

  private def isEntry(index: Int, hash: Int, bytes: Array[Byte], pos: Int, length: Int): Boolean =
    hashes(index) == hash && dictionaries(index).hasBytes(bytes, pos, length)

  private def forget(): Unit = {
    Arrays.fill(slots, 0)
    Arrays.fill(dictionaries.asInstanceOf[Array[AnyRef]], null)
    Arrays.fill(entries.asInstanceOf[Array[AnyRef]], null)
    count = 0
  }

  private def keep(bytes: Array[Byte], pos: Int, length: Int): Unit = {
    val dictionary = MetadataDictionary.parse(bytes, pos, length).detached
    lastEntry = compile(dictionary)
    lastDictionary = dictionary
  }
}

private[variantshredded] object DictionaryCache {

  /** Number of cached entries; a power of two. */
  private final val MaxKept = 512

  /** Longer metadata is kept only until the next metadata, so that memory stays bounded. */
  private final val MaxKeptBytes = 16 * 1024
}
