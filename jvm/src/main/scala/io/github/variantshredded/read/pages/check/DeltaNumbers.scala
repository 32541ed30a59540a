package io.github.variantshredded.read.pages.check

import java.nio.ByteBuffer
import java.util.Arrays

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.parquet.column.values.bitpacking.{BytePackerForLong, Packer}

/**
 * Reads delta-encoded numbers one after the other. parquet-java's reader takes twice as long,
 * because it decodes all numbers first, and makes an object for every eight.
 *
 * @param in
 *   the numbers, which [[DeltaCheck]] has checked to be there; its position is changed
 */
private[check] final class DeltaNumbers(in: ByteBuffer) {
  private val blockSize = HybridRuns.unsigned(in).toInt
  private val miniBlocks = HybridRuns.unsigned(in).toInt
  private val perMiniBlock = blockSize / miniBlocks
  HybridRuns.unsigned(in): Unit

  private var last = zigZag()
  private var isFirst = true

  // The current block: its least delta, and the positions of the widths of its miniblocks.
  private var leastDelta = 0L
  private var widths = 0
  private var miniBlock = miniBlocks

  // The current miniblock: how its deltas are packed, and how many are not unpacked yet.
  private var packer: BytePackerForLong = _
  private var width = 0
  private var packed = 0

  private val deltas = new Array[Long](8)
  private var at = 8

  /** Returns the next number. There must be one. */
  def next(): Long =
    if (isFirst) {
      isFirst = false
      last
    } else {
      if (at == 8) unpack()
      last += leastDelta + deltas(at)
      at += 1
      last
    }

  private def unpack(): Unit = {
    if (packed == 0) startMiniBlock()
    val from = in.position()
    // The packer of no bits writes nothing.
    if (width == 0) Arrays.fill(deltas, 0L)
    else if (in.hasArray) packer.unpack8Values(in.array, in.arrayOffset + from, deltas, 0)
    else packer.unpack8Values(in, from, deltas, 0)
    in.position(from + width)
    packed -= 8
    at = 0
  }

  private def startMiniBlock(): Unit = {
    if (miniBlock == miniBlocks) {
      leastDelta = zigZag()
      widths = in.position()
      in.position(widths + miniBlocks)
      miniBlock = 0
    }
    width = in.get(widths + miniBlock) & 0xff
    if (width > 64) {
      throw VariantShreddedErrors.corruptFile(
        s"A page claims delta-encoded numbers of $width bits.",
        ErrorLocation()
      )
    }
    packer = Packer.LITTLE_ENDIAN.newBytePackerForLong(width)
    packed = perMiniBlock
    miniBlock += 1
  }

  private def zigZag(): Long = {
    var value = 0L
    var shift = 0
    var more = true
    while (more) {
      val byte = in.get()
      value |= (byte & 0x7fL) << shift
      shift += 7
      more = byte < 0
    }
    (value >>> 1) ^ -(value & 1)
  }
}
