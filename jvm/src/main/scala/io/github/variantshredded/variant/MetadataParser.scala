package io.github.variantshredded.variant

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}

/** Parses Variant metadata ("Metadata encoding"), and checks it. */
private[variant] object MetadataParser {

  /** See [[MetadataDictionary.parse]]. */
  def parse(bytes: Array[Byte], offset: Int, length: Int, strict: Boolean): MetadataDictionary = {
    if (offset < 0 || length < 0 || offset > bytes.length - length)
      throw malformed(s"The range $offset + $length is outside of ${bytes.length} bytes.")
    val header = headerAt(bytes, offset, length)
    if (strict && (header & 0x20) != 0) throw malformed("The unused bit 5 of its header is set.")
    val width = widthOf(header)
    val count = countAt(bytes, offset, length, width)
    val starts = readStarts(bytes, offset, length, count, width)
    if (strict) checkEnds(starts, offset, length, namesAt(count, width))
    val hasSingleOrder = checkNames(bytes, starts, strict)
    val sorted = (header & 0x10) != 0
    val rankIsId = strict && sorted && checkSorted(bytes, starts)
    new MetadataDictionary(bytes, offset, length, starts, sorted, rankIsId, hasSingleOrder)
  }

  /** See [[MetadataDictionary.lengthAt]]. */
  def lengthAt(bytes: Array[Byte], offset: Int, limit: Int): Int = {
    val available = limit - offset
    val width = widthOf(headerAt(bytes, offset, available))
    val start = namesAt(countAt(bytes, offset, available, width), width)
    val names = LittleEndian.getUnsigned(bytes, offset + start - width, width)
    if (start + names > available)
      throw malformed(s"Its names take $names bytes, of which ${available - start} are there.")
    start + names.toInt
  }

  // Returns the first byte, after a look at the version.
  private def headerAt(bytes: Array[Byte], offset: Int, available: Int): Int = {
    if (available <= 0) throw malformed("It has no bytes.")
    val header = bytes(offset) & 0xff
    if ((header & 0xf) != 1) throw malformed(s"Its version is ${header & 0xf}, not 1.")
    header
  }

  // The number of bytes of the count, and of each offset.
  private def widthOf(header: Int): Int = (header >>> 6) + 1

  // Returns the number of names, whose offsets are within the `available` bytes.
  private def countAt(bytes: Array[Byte], offset: Int, available: Int, width: Int): Int = {
    if (available < 1 + width)
      throw malformed(s"Its $available bytes end within the dictionary size.")
    val claimed = LittleEndian.getUnsigned(bytes, offset + 1, width)
    if (1L + width + (claimed + 1) * width > available)
      throw malformed(s"It claims $claimed names; their offsets do not fit into $available bytes.")
    claimed.toInt
  }

  // The number of bytes before the names.
  private def namesAt(count: Int, width: Int): Int = 1 + width + (count + 1) * width

  // Positions in `bytes` at which the names start, and the position at which the last one ends.
  private def readStarts(
      bytes: Array[Byte],
      offset: Int,
      length: Int,
      count: Int,
      width: Int
  ): Array[Int] = {
    val listAt = offset + 1 + width
    val firstAt = offset + namesAt(count, width)
    val available = offset + length - firstAt
    val starts = new Array[Int](count + 1)
    var previous = 0L
    var i = 0
    while (i <= count) {
      val start = LittleEndian.getUnsigned(bytes, listAt + i * width, width)
      if (start < previous)
        throw malformed(s"Offset $i of its names is $start, less than $previous before it.")
      if (start > available)
        throw malformed(s"Offset $i of its names is $start, beyond their $available bytes.")
      previous = start
      starts(i) = firstAt + start.toInt
      i += 1
    }
    starts
  }

  private def checkEnds(starts: Array[Int], offset: Int, length: Int, namesAt: Int): Unit = {
    val first = starts(0) - offset - namesAt
    if (first != 0) throw malformed(s"The first offset of its names is $first, not 0.")
    val left = offset + length - starts(starts.length - 1)
    if (left != 0) throw malformed(s"It has $left bytes after its last name.")
  }

  // Checks in strict mode that names are UTF-8. Returns true if both orders of names are the same.
  private def checkNames(bytes: Array[Byte], starts: Array[Int], strict: Boolean): Boolean = {
    val end = starts(starts.length - 1)
    val firstBeyondAscii = Utf8.skipAscii(bytes, starts(0), end)
    if (firstBeyondAscii < end && strict) {
      var id = 0
      while (id < starts.length - 1) {
        if (Utf8.firstMalformed(bytes, starts(id), starts(id + 1)) >= 0)
          throw malformed(s"Name $id is not UTF-8.")
        id += 1
      }
    }
    var i = firstBeyondAscii
    while (i < end && (bytes(i) & 0xff) < KeyOrder.FirstLeadByteOfDifference) i += 1
    i == end
  }

  // Checks that the names ascend in one of the two orders. Returns true if they do in Spark's.
  private def checkSorted(bytes: Array[Byte], starts: Array[Int]): Boolean = {
    var byUnits = true
    var byBytes = true
    var id = 1
    while (id < starts.length - 1) {
      val before = starts(id) - starts(id - 1)
      val here = starts(id + 1) - starts(id)
      if (KeyOrder.compare(bytes, starts(id - 1), before, bytes, starts(id), here) >= 0)
        byUnits = false
      if (KeyOrder.compareUnsigned(bytes, starts(id - 1), before, bytes, starts(id), here) >= 0)
        byBytes = false
      if (!byUnits && !byBytes)
        throw malformed(
          s"It is flagged as sorted and unique, but name $id is not after name ${id - 1}."
        )
      id += 1
    }
    byUnits
  }

  private def malformed(reason: String): VariantShreddedException =
    VariantShreddedErrors.malformedVariant(s"Malformed Variant metadata: $reason", ErrorLocation())
}
