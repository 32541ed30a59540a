package io.github.variantshredded.read.decode

import java.util.Arrays

import io.github.variantshredded.variant.LittleEndian

/**
 * Which fields of an object a batch has in each of its slots, as bits: filled column by column, so
 * that a row pays for the fields that it has and not for those that it lacks.
 *
 * @param capacity
 *   number of fields of the object
 */
private[read] final class FieldBits(capacity: Int) {
  import FieldBits._

  private val live = new Array[PositionVectors](capacity)
  private val places = new Array[Int](capacity)
  private var count = 0
  private var lastCount = 0
  private var isRenumbered = false
  private var slots = 0
  private var bits = new Array[Long](0)

  /** Words of 64 fields that a slot has; slot s has those from `s * words` in [[word]]. */
  val words: Int = (capacity + 63) >>> 6

  /** Fields number `64 * (i % words)` and on, bit by bit. */
  def word(i: Int): Long = bits(i)

  /** The live field `number`. */
  def field(number: Int): PositionVectors = live(number)

  /** Place of the live field `number` among all fields of the object. */
  def place(number: Int): Int = places(number)

  /** Changes when the live fields do, and so what the bits stand for. */
  var numbering = 0

  def start(slots: Int): Unit = {
    this.slots = slots
    lastCount = count
    count = 0
    isRenumbered = false
    if (bits.length < slots * words) bits = new Array[Long](slots * words)
    else Arrays.fill(bits, 0, slots * words, 0L)
  }

  /** Adds a live field that is loaded, after those before it in the order of names. */
  def add(place: Int, field: PositionVectors): Unit = {
    if (places(count) != place || live(count) == null) isRenumbered = true
    live(count) = field
    places(count) = place
    if (field.untyped != null) mark(field.untyped.nulls, count)
    if (field.typed != null && field.typed.live) mark(field.typed.nulls, count)
    count += 1
  }

  /** Called when all live fields have been added. */
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
