package io.github.variantshredded.shredding

import java.util.Arrays

import io.github.variantshredded.variant.{
  ArrayCursor,
  MetadataBuilder,
  MetadataDictionary,
  ObjectCursor,
  VariantConstants,
  VariantReader,
  VariantValidator
}

/**
 * Counts the paths and types of the Variants of one column.
 *
 * A field's name is compared once for each distinct metadata; from then on the ids of that metadata
 * lead to the nodes of the trie.
 */
final class ColumnStatistics(limits: InferenceLimits) {

  private[shredding] val root = new PathStatistics(nameId = -1, order = 0)
  private val names = new MetadataBuilder
  private val remaps = new DictionaryCache[ColumnStatistics.Remap](new ColumnStatistics.Remap(_))
  private val validator = new VariantValidator
  private val objects = new Array[ObjectCursor](limits.depth + 1)
  private val arrays = new Array[ArrayCursor](limits.depth + 1)

  private var tracked = 1
  private var row = 0
  private var bytes: Array[Byte] = Array.emptyByteArray
  private var remap: ColumnStatistics.Remap = _

  /** Variants that were added. */
  def rows: Int = row

  private[shredding] def nameOf(path: PathStatistics): String = names.key(path.nameId)

  /**
   * Adds one Variant.
   *
   * @throws io.github.variantshredded.VariantShreddedException
   *   `MALFORMED_VARIANT`
   */
  def add(
      bytes: Array[Byte],
      valuePos: Int,
      valueEnd: Int,
      metadataPos: Int,
      metadataEnd: Int
  ): Unit = {
    remap = remaps.get(bytes, metadataPos, metadataEnd - metadataPos)
    validator.check(bytes, valuePos, valueEnd, remap.dictionary)
    this.bytes = bytes
    count(root, valuePos, valueEnd, 1)
    row += 1
  }

  private def count(path: PathStatistics, pos: Int, limit: Int, depth: Int): Unit =
    VariantReader.kind(bytes, pos, limit) match {
      case VariantConstants.Null           => ()
      case kind @ VariantReader.ObjectKind =>
        path.count(row, kind)
        if (depth <= limits.depth) countFields(path, pos, limit, depth)
      case kind @ VariantReader.ArrayKind =>
        path.count(row, kind)
        if (depth <= limits.depth) countElements(path, pos, limit, depth)
      case VariantConstants.Decimal4 | VariantConstants.Decimal8 | VariantConstants.Decimal16 =>
        val scale = VariantReader.getDecimalScale(bytes, pos, limit)
        path.countDecimal(row, scale, VariantReader.getDecimal(bytes, pos, limit).precision)
      case kind => path.count(row, kind)
    }

  private def countFields(path: PathStatistics, pos: Int, limit: Int, depth: Int): Unit = {
    if (objects(depth) == null) objects(depth) = new ObjectCursor
    val cursor = objects(depth).reset(bytes, pos, limit)
    val size = cursor.numFields
    var i = 0
    while (i < size) {
      val name = remap.nameOf(cursor.fieldId(i), names)
      var child = path.child(name)
      if (child == null && tracked < InferenceLimits.MaxTrackedPaths) {
        child = new PathStatistics(name, tracked)
        tracked += 1
        path.addChild(child)
      }
      if (child != null) count(child, cursor.fieldPos(i), cursor.end, depth + 1)
      i += 1
    }
  }

  private def countElements(path: PathStatistics, pos: Int, limit: Int, depth: Int): Unit = {
    if (arrays(depth) == null) arrays(depth) = new ArrayCursor
    val cursor = arrays(depth).reset(bytes, pos, limit)
    val size = cursor.numElements
    if (size > 0 && path.element == null && tracked < InferenceLimits.MaxTrackedPaths) {
      path.element = new PathStatistics(nameId = -1, tracked)
      tracked += 1
    }
    if (path.element != null) {
      var i = 0
      while (i < size) {
        count(path.element, cursor.elementPos(i), cursor.end, depth + 1)
        i += 1
      }
    }
  }
}

private object ColumnStatistics {

  /** The ids of one metadata as ids of the column's names, filled when they are met. */
  final class Remap(val dictionary: MetadataDictionary) {
    private val ids = {
      val result = new Array[Int](dictionary.size)
      Arrays.fill(result, -1)
      result
    }

    def nameOf(id: Int, names: MetadataBuilder): Int = {
      if (ids(id) < 0)
        ids(id) = names.add(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      ids(id)
    }
  }
}
