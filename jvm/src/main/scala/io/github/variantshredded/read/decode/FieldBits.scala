package io.github.variantshredded.read.decode

import java.util.Arrays

import io.github.variantshredded.variant.LittleEndian

/**
 * Holds a bitmap of the fields that an object has in each slot of a batch. It is filled column by
 * column, so that rebuilding a row visits only the fields that the row has.
 *
 * @param capacity
 *   number of fields of the object
 */
private[read] final class FieldBits(capacity: Int) {
  import FieldBits._

  private val fields = new Array[PositionVectors](capacity)
  private val indexes = new Array[Int](capacity)
  private var count = 0
  private var lastCount = 0
  private var isRenumbered = false
  private var slots = 0
  private var bits = new Array[Long](0)

  /**
   * The number of words, of 64 fields each, per slot. The words of slot `s` begin at `s * words`
   * (see [[word]]).
   */
  val words: Int = (capacity + 63) >>> 6

  /** Returns the word `i`: one bit for each of the 64 fields from `64 * (i % words)` on. */
  def word(i: Int): Long = bits(i)

  /** Returns the added field with this number. */
  def field(number: Int): PositionVectors = fields(number)

  /** Returns the index, among all fields of the object, of the added field with this number. */
  def index(number: Int): Int = indexes(number)

  /** Increases whenever the added fields change, and with them the meaning of the bits. */
  var numbering = 0

  def start(slots: Int): Unit = {
    this.slots = slots
    lastCount = count
    count = 0
    isRenumbered = false
    if (bits.length < slots * words) bits = new Array[Long](slots * words)
    else Arrays.fill(bits, 0, slots * words, 0L)
  }

  /**
   * Adds a field that may have values in the batch, and that is loaded. Fields are added in the
   * order of their names.
   */
  def add(index: Int, field: PositionVectors): Unit = {
    if (indexes(count) != index || fields(count) == null) isRenumbered = true
    fields(count) = field
    indexes(count) = index
    if (field.residual != null) mark(field.residual.nulls, count)
    if (field.typed != null && field.typed.mayHaveValues) mark(field.typed.nulls, count)
    count += 1
  }

  /** Ends a batch after all fields have been added. */
  def finish(): Unit = if (isRenumbered || count != lastCount) numbering += 1

  private def mark(nulls: Array[Byte], number: Int): Unit = {
    val words = this.words
    val bits = this.bits
    var at = number >>> 6
    var slot = 0
    while (slot < slots) {
      val until = math.min(slot + 8, slots)
      if (until - slot == 8 && LittleEndian.getLong(nulls, slot) == AllNull) at += 8 * words
      else {
        while (slot < until) {
          bits(at) |= (1L - nulls(slot)) << number
          at += words
          slot += 1
        }
      }
      slot = until
    }
  }
}

private[read] object FieldBits {
  private final val AllNull = 0x0101010101010101L
}
