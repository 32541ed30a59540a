package io.github.variantshredded.variant.encode

import java.nio.charset.StandardCharsets
import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{
  KeyHash,
  KeyNames,
  KeyOrder,
  LittleEndian,
  VariantConstants
}

/**
 * Collects field names and writes them as Variant metadata ("Metadata encoding").
 *
 * Names get ids in the order in which they are first added. An instance is reused by `reset`, and
 * serves one thread.
 *
 * @param sizeLimit
 *   most bytes of the metadata; more are the error `VARIANT_SIZE_LIMIT`
 */
final class MetadataBuilder(sizeLimit: Int = VariantConstants.SizeLimit) extends KeyNames {

  private var names = new Array[Byte](256)
  private var ends = new Array[Int](32)
  private var count = 0

  // Slots hold id + 1; at most half of them are taken.
  private var slots = new Array[Int](MetadataBuilder.FewSlots)

  override def size: Int = count

  def reset(): Unit = {
    if (count > 0) {
      // After one value with very many names, later values would clear its large table each time.
      if (slots.length > MetadataBuilder.ManySlots && count * 16L < slots.length)
        slots = new Array[Int](MetadataBuilder.FewSlots)
      else Arrays.fill(slots, 0)
    }
    count = 0
  }

  /** Returns the number of slots that the next `reset` clears. */
  private[encode] def slotsToClear: Int = slots.length

  /** Returns the id of the name; adds the name if it is new. */
  def add(name: String): Int = {
    val utf8 = name.getBytes(StandardCharsets.UTF_8)
    add(utf8, 0, utf8.length)
  }

  /** Returns the id of the name in [pos, pos + len) of `utf8`, which is copied if it is new. */
  def add(utf8: Array[Byte], pos: Int, len: Int): Int = {
    val slot = slotOf(utf8, pos, len)
    if (slots(slot) > 0) slots(slot) - 1 else append(slot, utf8, pos, len)
  }

  override def key(id: Int): String = {
    checkId(id)
    new String(names, startOf(id), ends(id) - startOf(id), StandardCharsets.UTF_8)
  }

  override def compareKeys(idA: Int, idB: Int): Int = {
    checkId(idA)
    checkId(idB)
    val startA = startOf(idA)
    val startB = startOf(idB)
    KeyOrder.compare(names, startA, ends(idA) - startA, names, startB, ends(idB) - startB)
  }

  /** Returns the metadata, flagged as sorted if the names were added in ascending byte order. */
  def build(): Array[Byte] = {
    val total = if (count == 0) 0 else ends(count - 1)
    val width = LittleEndian.width(math.max(total, count))
    val namesAt = 1L + width + (count + 1L) * width
    if (namesAt + total > sizeLimit) throw VariantShreddedErrors.variantSizeLimit(sizeLimit)
    val metadata = new Array[Byte]((namesAt + total).toInt)
    val sortedFlag = if (isAscending) 0x10 else 0
    metadata(0) = (1 | sortedFlag | ((width - 1) << 6)).toByte
    LittleEndian.putUnsigned(metadata, 1, count, width)
    var id = 0
    while (id < count) {
      LittleEndian.putUnsigned(metadata, 1 + width * (id + 2), ends(id), width)
      id += 1
    }
    System.arraycopy(names, 0, metadata, namesAt.toInt, total)
    metadata
  }

  private def append(slot: Int, utf8: Array[Byte], pos: Int, len: Int): Int = {
    val start = startOf(count)
    if (start.toLong + len > sizeLimit) throw VariantShreddedErrors.variantSizeLimit(sizeLimit)
    if (start + len > names.length)
      names = Arrays.copyOf(names, GrowingArray.capacity(names.length, start + len))
    if (count == ends.length) ends = Arrays.copyOf(ends, count * 2)
    System.arraycopy(utf8, pos, names, start, len)
    ends(count) = start + len
    count += 1
    slots(slot) = count
    if (count * 2 > slots.length) rehash()
    count - 1
  }

  private def rehash(): Unit = {
    slots = new Array[Int](slots.length * 2)
    var id = 0
    while (id < count) {
      slots(slotOf(names, startOf(id), ends(id) - startOf(id))) = id + 1
      id += 1
    }
  }

  // The slot that holds the name, or the free slot where the name would be.
  private def slotOf(utf8: Array[Byte], pos: Int, len: Int): Int = {
    val mask = slots.length - 1
    var slot = KeyHash.of(utf8, pos, len) & mask
    while (slots(slot) != 0 && !isKey(slots(slot) - 1, utf8, pos, len)) slot = (slot + 1) & mask
    slot
  }

  private def isKey(id: Int, utf8: Array[Byte], pos: Int, len: Int): Boolean =
    Arrays.equals(names, startOf(id), ends(id), utf8, pos, pos + len)

  private def startOf(id: Int): Int = if (id == 0) 0 else ends(id - 1)

  private def isAscending: Boolean = {
    var id = 1
    while (id < count && ascends(id)) id += 1
    id >= count
  }

  private def ascends(id: Int): Boolean = {
    val before = startOf(id - 1)
    val start = startOf(id)
    KeyOrder.compareUnsigned(names, before, start - before, names, start, ends(id) - start) < 0
  }

  private def checkId(id: Int): Unit =
    if (id < 0 || id >= count)
      throw VariantShreddedErrors.malformedVariant(s"Field id $id is not among $count names.")
}

private object MetadataBuilder {

  /** The size of a new table. */
  final val FewSlots = 64

  /** A table of up to this size is cleared in no time. */
  final val ManySlots = 1024
}
