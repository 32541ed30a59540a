package io.github.variantshredded.write.column

import java.util.Arrays

import scala.annotation.nowarn

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage

/**
 * Encodes values with a dictionary as long as this pays, and in the encoding PLAIN otherwise.
 *
 * A chunk begins with a dictionary. The encoder stops using it
 *
 *   - when the dictionary has more than `maxDictionary` bytes;
 *   - after 1024, 4096 and 16384 values, if the number of equal values so far suggests that a
 *     dictionary of all distinct values would need more than three times `maxDictionary` bytes. If
 *     it needs less, the pages before the dictionary is full are still smaller with it;
 *   - at the end of the first page with values, if the page is not smaller with the dictionary.
 *
 * parquet-java has only the first and the last of these rules, so that it collects a dictionary for
 * the whole first page even if all values are distinct.
 *
 * The decision depends on the values alone. Pages that have been written keep the dictionary.
 *
 * @param maxDictionary
 *   most bytes of the dictionary; 0 for no dictionary
 */
private[write] abstract class DictionaryEncoder(maxDictionary: Int) extends LeafEncoder {
  import DictionaryEncoder._

  /** The page's values in the encoding PLAIN. */
  protected final val plain = new ByteSink(256)

  private var usesDictionary = maxDictionary > 0
  private var ids = if (usesDictionary) new Array[Int](64) else Array.emptyIntArray
  private var idCount = 0

  /** Number of bytes that the page's values would take without the dictionary. */
  private var rawSize = 0L
  private var valueCount = 0L
  private var nextCheck = FirstCheck

  private var isFirstPage = true
  private var lastPageIsPlain = true

  // The part of the dictionary that written pages use.
  private var writtenEntries = 0
  private var writtenBytes = 0

  /** Returns the number of distinct values in the dictionary. */
  protected def entries: Int

  /** Returns the dictionary in the encoding PLAIN. */
  protected def entryBytes: ByteSink

  /** Appends the value with this index to [[plain]]. */
  protected def addEntryPlainly(id: Int): Unit

  /** Releases the memory of the dictionary. */
  protected def dropEntries(): Unit

  /** Returns whether the next value, of `size` bytes, has to be added to the dictionary. */
  protected final def takes(size: Int): Boolean = usesDictionary && {
    if (size > maxDictionary) fallBack()
    usesDictionary
  }

  protected final def addId(id: Int, size: Int): Unit = {
    if (idCount == ids.length) ids = Arrays.copyOf(ids, idCount * 2)
    ids(idCount) = id
    idCount += 1
    rawSize += size
    valueCount += 1
    if (entryBytes.size > maxDictionary) fallBack()
    else if (valueCount == nextCheck) {
      nextCheck = if (nextCheck == LastCheck) 0 else nextCheck * 4
      if (willNotFit) fallBack()
    }
  }

  // Estimates the number n of distinct values: the smaller it is, the more of the values are equal.
  private def willNotFit: Boolean = {
    val repeated = valueCount - entries
    val distinct = valueCount.toDouble * valueCount / (2.0 * math.max(repeated, 1L))
    entries * 2L > valueCount && distinct * entryBytes.size / entries > Hopeless * maxDictionary
  }

  private def fallBack(): Unit = {
    usesDictionary = false
    var i = 0
    while (i < idCount) {
      addEntryPlainly(ids(i))
      i += 1
    }
    ids = Array.emptyIntArray
    idCount = 0
    if (writtenEntries == 0) dropEntries()
  }

  override final def pageSize: Long = if (usesDictionary) rawSize else plain.size.toLong

  override final def allocated: Long = plain.size + idCount * 4L + entryBytes.size

  override final def mayUseDictionary: Boolean = usesDictionary

  override final def page(): BytesInput = {
    lastPageIsPlain = !usesDictionary
    val input = if (usesDictionary) dictionaryPage() else plain.toInput
    isFirstPage = false
    input
  }

  private def dictionaryPage(): BytesInput = {
    val width = HybridEncoder.bitWidth(math.max(entries - 1, 0))
    val encoder = new HybridEncoder(width)
    var i = 0
    while (i < idCount) {
      encoder.add(ids(i))
      i += 1
    }
    val encoded = BytesInput.concat(BytesInput.from(Array(width.toByte)), encoder.finish())
    if (isFirstPage && encoded.size + entryBytes.size >= rawSize) {
      fallBack()
      lastPageIsPlain = true
      plain.toInput
    } else {
      writtenEntries = entries
      writtenBytes = entryBytes.size
      encoded
    }
  }

  override final def encoding: Encoding =
    if (lastPageIsPlain) Encoding.PLAIN else DictionaryEncoding

  override final def endPage(): Unit = {
    plain.reset(plain.size)
    idCount = 0
    rawSize = 0
  }

  override final def dictionary(): DictionaryPage =
    if (writtenEntries == 0) null
    else
      new DictionaryPage(
        BytesInput.from(entryBytes.bytes, 0, writtenBytes),
        writtenEntries,
        DictionaryEncoding
      )
}

private object DictionaryEncoder {
  private final val FirstCheck = 1024L
  private final val LastCheck = 16384L
  private final val Hopeless = 3.0

  // The name is deprecated, but files of Parquet's version 1 use it for pages and dictionaries.
  @nowarn("cat=deprecation")
  private final val DictionaryEncoding = Encoding.PLAIN_DICTIONARY
}
