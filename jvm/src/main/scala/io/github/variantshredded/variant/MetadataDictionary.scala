package io.github.variantshredded.variant

import java.nio.charset.StandardCharsets
import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors

/**
 * Reads the dictionary of field names that Variant metadata holds ("Metadata encoding").
 *
 * The bytes are not copied, and must not change as long as the dictionary is used; [[detached]]
 * returns a dictionary that owns its bytes. After a few look-ups the dictionary builds an index.
 * Threads may share a dictionary.
 *
 * @param bytes
 *   array that holds the metadata
 * @param offset
 *   first byte of the metadata in `bytes`
 * @param length
 *   number of bytes of the metadata
 */
final class MetadataDictionary private[variant] (
    val bytes: Array[Byte],
    val offset: Int,
    val length: Int,
    starts: Array[Int],
    flaggedSorted: Boolean,
    rankIsId: Boolean,
    private[variant] val hasSingleOrder: Boolean
) extends KeyNames {

  // The counters may lose updates between threads: they only decide when an index is built.
  private var comparisons = 0
  private var searched = 0
  private var lookups = 0
  private var ranks: KeyRanks = _
  private var table: KeyTable = _

  /** Number of names. */
  override val size: Int = starts.length - 1

  /**
   * Returns whether the metadata claims that its names are unique and sorted. The claim has been
   * verified if the metadata was parsed in strict mode.
   */
  def isSorted: Boolean = flaggedSorted

  /** Returns the position in [[bytes]] of the first byte of a name. */
  def keyOffset(id: Int): Int = {
    checkId(id)
    starts(id)
  }

  /** Returns the length of a name in bytes. */
  def keyLength(id: Int): Int = {
    checkId(id)
    starts(id + 1) - starts(id)
  }

  /** Returns the decoded name, for messages and plans; too slow for every row. */
  override def key(id: Int): String =
    new String(bytes, keyOffset(id), keyLength(id), StandardCharsets.UTF_8)

  /** Returns whether the dictionary has a name under more than one id. */
  private[variantshredded] def hasRepeats: Boolean = keyTable.distinct < size

  private def keyTable: KeyTable = {
    val known = table
    if (known != null) known
    else {
      val built = new KeyTable(this)
      table = built
      built
    }
  }

  /** Counts names that were compared with the name of a field, to find the field in an object. */
  private[variantshredded] def countSearched(names: Int): Unit = searched += names

  /**
   * Returns whether the fields of an object are found quicker by their ids. An index of the names
   * takes about as long as many comparisons, and some dictionaries are used once.
   */
  private[variantshredded] def prefersIds: Boolean =
    table != null || searched / MetadataDictionary.ComparisonsPerKey > size

  /** Returns the id of a name, or -1; the lowest id if an unsorted dictionary repeats the name. */
  def find(utf8: Array[Byte]): Int = find(utf8, 0, utf8.length)

  /** Returns the id of the name in [pos, pos + len) of `utf8`, or -1. */
  def find(utf8: Array[Byte], pos: Int, len: Int): Int = {
    val isScanned =
      size <= MetadataDictionary.ScannedSize || lookups < MetadataDictionary.ScannedLookups
    if (table == null && isScanned) {
      lookups += 1
      scan(utf8, pos, len)
    } else keyTable.find(this, utf8, pos, len)
  }

  override def compareKeys(idA: Int, idB: Int): Int = {
    checkId(idA)
    checkId(idB)
    compareKnownKeys(idA, idB)
  }

  /** Does what [[compareKeys]] does, for ids that are known to be less than `size`. */
  private[variantshredded] def compareKnownKeys(idA: Int, idB: Int): Int =
    if (rankIsId) Integer.compare(idA, idB)
    else {
      val ranked = ranks
      if (ranked != null) Integer.compare(ranked.of(idA), ranked.of(idB))
      else compareUnranked(idA, idB)
    }

  /** Returns the [[rank]] of each id, or null if the ranks have not been computed. */
  private[variant] def knownRanks: Array[Int] = {
    val ranked = ranks
    if (ranked == null) null else ranked.all
  }

  private def compareUnranked(idA: Int, idB: Int): Int = {
    comparisons += 1
    if (comparisons / MetadataDictionary.ComparisonsPerKey > size) ranks = newRanks()
    compareBytes(idA, idB)
  }

  /**
   * Returns the position of a name among all names in the order of [[KeyOrder.compare]]; equal
   * names have equal ranks. Ranks are at least 0 and less than `size`.
   */
  def rank(id: Int): Int = {
    checkId(id)
    if (rankIsId) id
    else {
      if (ranks == null) ranks = newRanks()
      ranks.of(id)
    }
  }

  /** Returns whether the metadata equals the bytes in [pos, pos + len) of `other`. */
  def hasBytes(other: Array[Byte], pos: Int, len: Int): Boolean =
    Arrays.equals(bytes, offset, offset + length, other, pos, pos + len)

  /** Returns the metadata in an array of its own. */
  def toByteArray: Array[Byte] = Arrays.copyOfRange(bytes, offset, offset + length)

  /** Returns metadata with one more name behind the others, whose ids stay the same. */
  def withName(utf8: Array[Byte]): Array[Byte] = {
    val names = starts(size) - starts(0)
    val width = LittleEndian.width(math.max(names + utf8.length, size + 1))
    val namesAt = 1 + width + (size + 2) * width
    val result = new Array[Byte](namesAt + names + utf8.length)
    result(0) = (1 | ((width - 1) << 6)).toByte
    LittleEndian.putUnsigned(result, 1, size + 1, width)
    var id = 0
    while (id <= size) {
      LittleEndian.putUnsigned(result, 1 + width + id * width, starts(id) - starts(0), width)
      id += 1
    }
    LittleEndian.putUnsigned(result, namesAt - width, names + utf8.length, width)
    System.arraycopy(bytes, starts(0), result, namesAt, names)
    System.arraycopy(utf8, 0, result, namesAt + names, utf8.length)
    result
  }

  /**
   * Returns metadata with the names of the first `count` of these ids, in this order. They are not
   * flagged as sorted.
   */
  private[variantshredded] def only(ids: Array[Int], count: Int): Array[Byte] = {
    var total = 0
    var i = 0
    while (i < count) {
      total += keyLength(ids(i))
      i += 1
    }
    val width = LittleEndian.width(math.max(total, count))
    val namesAt = 1 + width + (count + 1) * width
    val result = new Array[Byte](namesAt + total)
    result(0) = (1 | ((width - 1) << 6)).toByte
    LittleEndian.putUnsigned(result, 1, count, width)
    var end = 0
    i = 0
    while (i < count) {
      val length = keyLength(ids(i))
      System.arraycopy(bytes, starts(ids(i)), result, namesAt + end, length)
      end += length
      LittleEndian.putUnsigned(result, 1 + width * (i + 2), end, width)
      i += 1
    }
    result
  }

  /** Returns the same dictionary, with bytes of its own. */
  def detached: MetadataDictionary = {
    val shifted = new Array[Int](starts.length)
    var i = 0
    while (i < starts.length) {
      shifted(i) = starts(i) - offset
      i += 1
    }
    new MetadataDictionary(toByteArray, 0, length, shifted, flaggedSorted, rankIsId, hasSingleOrder)
  }

  private[variant] def compareUnsigned(idA: Int, idB: Int): Int = KeyOrder.compareUnsigned(
    bytes,
    keyOffset(idA),
    keyLength(idA),
    bytes,
    keyOffset(idB),
    keyLength(idB)
  )

  private[variant] def isKey(id: Int, utf8: Array[Byte], pos: Int, len: Int): Boolean =
    Arrays.equals(bytes, starts(id), starts(id + 1), utf8, pos, pos + len)

  private def compareBytes(idA: Int, idB: Int): Int = KeyOrder.compare(
    bytes,
    starts(idA),
    starts(idA + 1) - starts(idA),
    bytes,
    starts(idB),
    starts(idB + 1) - starts(idB)
  )

  private def scan(utf8: Array[Byte], pos: Int, len: Int): Int = {
    var id = 0
    while (id < size && !(starts(id + 1) - starts(id) == len && isKey(id, utf8, pos, len))) id += 1
    if (id < size) id else -1
  }

  private def newRanks(): KeyRanks = KeyRanks(
    size,
    new KeyNames {
      override def size: Int = MetadataDictionary.this.size
      override def key(id: Int): String = MetadataDictionary.this.key(id)
      override def compareKeys(idA: Int, idB: Int): Int = compareBytes(idA, idB)
    }
  )

  private def checkId(id: Int): Unit =
    if (id < 0 || id >= size)
      throw VariantShreddedErrors.malformedVariant(
        s"Field id ${Integer.toUnsignedString(id)} is not in the metadata dictionary of $size names."
      )
}

object MetadataDictionary {

  /** The dictionary of metadata without names, whose bytes are `01 00 00`. */
  val Empty: MetadataDictionary = parse(Array[Byte](1, 0, 0), 0, 3)

  // Up to these limits, comparing the names is cheaper than building an index.
  private final val ScannedSize = 4
  private final val ScannedLookups = 2
  private final val ComparisonsPerKey = 8

  /**
   * Parses the metadata in [offset, offset + length) of `bytes`.
   *
   * The version, the sizes and the offsets are always checked: all sizes have to be within the
   * `length` bytes before memory is allocated, and offsets must not descend. Strict mode also
   * checks the other rules of the spec: the unused header bit is 0, the first offset is 0, no bytes
   * follow the last name, names are UTF-8, and names that are flagged as sorted are unique and
   * ascend, by unsigned bytes or in Spark's order.
   *
   * @param strict
   *   `false` to accept what breaks only these other rules
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT`
   */
  def parse(
      bytes: Array[Byte],
      offset: Int,
      length: Int,
      strict: Boolean = true
  ): MetadataDictionary = MetadataParser.parse(bytes, offset, length, strict)

  /**
   * Returns the number of bytes of the metadata at `offset`, which other bytes may follow. It reads
   * the header, the number of names and the last offset, and checks nothing else.
   *
   * @param limit
   *   position after the last byte that may belong to the metadata
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if the metadata ends after `limit`
   */
  def lengthAt(bytes: Array[Byte], offset: Int, limit: Int): Int =
    MetadataParser.lengthAt(bytes, offset, limit)
}
