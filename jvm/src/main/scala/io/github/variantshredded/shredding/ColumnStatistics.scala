package io.github.variantshredded.shredding

import java.util.Arrays

import io.github.variantshredded.variant.{
  ArrayCursor,
  DictionaryCache,
  MetadataDictionary,
  ObjectCursor,
  VariantConstants,
  VariantReader,
  VariantValidator
}
import io.github.variantshredded.variant.encode.MetadataBuilder

/**
 * Counts the paths and types of the Variants of one column, for schema inference.
 *
 * The paths form a trie. A field's name is looked up once for each distinct metadata dictionary;
 * after that, the ids of this dictionary lead to the nodes of the trie.
 *
 * Memory is bounded: when there are more paths than [[InferenceLimits.paths]], the rarest are
 * discarded (by lossy counting, which never loses a path that many rows have). The counts that
 * remain are then incomplete, and [[needsRecount]] is true.
 *
 * @param choice
 *   what the user requests for the column; the paths in it are never discarded
 */
final class ColumnStatistics(
    limits: InferenceLimits,
    val choice: InferenceChoice = InferenceChoice.Free
) {

  private[shredding] val root = new PathStatistics(nameId = -1, missed = 0)
  private var names = new MetadataBuilder(ColumnStatistics.MaxNameBytes)
  private var remaps = new DictionaryCache[ColumnStatistics.Remap](new ColumnStatistics.Remap(_))
  private val validator = new VariantValidator
  private val objects = new Array[ObjectCursor](limits.depth + 1)
  private val arrays = new Array[ArrayCursor](limits.depth + 1)

  private var tracked = 1
  private var maxTracked = 0
  private var forgetsAt = limits.paths
  private var forgottenRows = 0
  // Number of pairs of a row and a path at which the row has a value.
  private var occurrences = 0L
  private var frozenNames: Option[MetadataDictionary] = None

  private var row = 0
  private var visited = 0
  private var bytes: Array[Byte] = Array.emptyByteArray
  private var remap: ColumnStatistics.Remap = _

  keep()

  /** Returns the number of Variants that were added. */
  def rows: Int = row

  /** Returns the greatest number of paths that were counted at one time. Observed by tests. */
  private[shredding] def peak: Int = maxTracked

  /** Returns whether the same rows have to be added once more, after a call of [[recount]]. */
  def needsRecount: Boolean = forgottenRows > 0 && frozenNames.isEmpty

  /** Resets the counts, and from now on counts only the paths that have not been discarded. */
  def recount(): Unit = {
    val metadata = names.build()
    frozenNames = Some(MetadataDictionary.parse(metadata, 0, metadata.length))
    remaps = new DictionaryCache(new ColumnStatistics.Remap(_))
    root.reset()
    row = 0
  }

  /**
   * Returns the number of rows that a path needs to have this share of the rows. If paths were
   * discarded, a path also needs more rows than a discarded path can have had, so that the result
   * does not depend on the order of the rows.
   */
  private[shredding] def leastRows(share: Double, path: PathStatistics): Long = {
    val asked = math.max(1L, math.ceil(share * row).toLong)
    if (forgottenRows == 0 || path.kept) asked else math.max(asked, maxForgotten + 1L)
  }

  private[shredding] def nameOf(path: PathStatistics): String = names.key(path.nameId)

  private[shredding] def child(path: PathStatistics, name: String): Option[PathStatistics] =
    (0 until path.childCount).iterator.map(path.children(_)).find(nameOf(_) == name)

  /**
   * Counts one Variant.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
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
    visited = 0
    count(root, valuePos, valueEnd, 1)
    row += 1
    maxTracked = math.max(maxTracked, tracked)
    if (frozenNames.isEmpty && tracked > forgetsAt) forget()
  }

  /** Counts a value and the values in it; `path` is null if the path is not counted. */
  private def count(path: PathStatistics, pos: Int, limit: Int, depth: Int): Unit = {
    visited += 1
    val kind = VariantReader.kind(bytes, pos, limit)
    if (kind != VariantConstants.Null) {
      if (path != null) countValue(path, kind, pos, limit)
      if (depth <= limits.depth) {
        if (kind == VariantReader.ObjectKind) countFields(path, pos, limit, depth)
        else if (kind == VariantReader.ArrayKind) countElements(path, pos, limit, depth)
      }
    }
  }

  private def countValue(path: PathStatistics, kind: Int, pos: Int, limit: Int): Unit = {
    val first = path.countRow(row, VariantReader.valueSize(bytes, pos, limit))
    if (first && frozenNames.isEmpty) occurrences += 1
    kind match {
      case VariantConstants.Decimal4 | VariantConstants.Decimal8 | VariantConstants.Decimal16 =>
        val scale = VariantReader.getDecimalScale(bytes, pos, limit)
        path.types.addDecimal(
          kind,
          scale,
          VariantReader.getDecimal(bytes, pos, limit).precision
        )
      case _ => path.types.add(kind)
    }
  }

  private def countFields(path: PathStatistics, pos: Int, limit: Int, depth: Int): Unit = {
    if (objects(depth) == null) objects(depth) = new ObjectCursor
    val cursor = objects(depth).reset(bytes, pos, limit)
    val size = cursor.numFields
    var previous: PathStatistics = null
    var i = 0
    while (i < size && visited < InferenceLimits.MaxValues) {
      val child = if (path == null) null else field(path, previous, cursor.fieldId(i))
      count(child, cursor.fieldPos(i), cursor.end, depth + 1)
      previous = child
      i += 1
    }
  }

  private def field(
      path: PathStatistics,
      previous: PathStatistics,
      id: Int
  ): PathStatistics = frozenNames match {
    case None =>
      val name = remap.nameOf(id, names)
      var child = path.childAfter(previous, name)
      if (child == null) {
        child = new PathStatistics(name, forgottenRows)
        tracked += 1
        path.addChild(child)
      }
      child.met = true
      child
    case Some(known) =>
      if (path.names == null) path.names = new DistinctNames(limits.mapKeys)
      val dictionary = remap.dictionary
      path.names.add(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      val name = remap.knownName(id, known)
      if (name < 0) null else path.child(name)
  }

  private def countElements(path: PathStatistics, pos: Int, limit: Int, depth: Int): Unit = {
    if (arrays(depth) == null) arrays(depth) = new ArrayCursor
    val cursor = arrays(depth).reset(bytes, pos, limit)
    val size = math.min(cursor.numElements, InferenceLimits.MaxElements)
    if (size > 0 && path != null && path.element == null && frozenNames.isEmpty) {
      path.element = new PathStatistics(nameId = -1, forgottenRows)
      tracked += 1
    }
    val element = if (path == null) null else path.element
    var i = 0
    while (i < size && visited < InferenceLimits.MaxValues) {
      count(element, cursor.elementPos(i), cursor.end, depth + 1)
      i += 1
    }
  }

  // Paths with at most this number of rows may be discarded: at most half of the limit have more.
  private def maxForgotten: Int =
    math.max(1L, math.min(Int.MaxValue - 1L, 2 * occurrences / limits.paths)).toInt

  private def forget(): Unit = {
    val before = names
    names = new MetadataBuilder(ColumnStatistics.MaxNameBytes)
    remaps = new DictionaryCache(new ColumnStatistics.Remap(_))
    forgottenRows = maxForgotten
    tracked = root.forget(forgottenRows, id => names.add(before.key(id)))
    forgetsAt = math.max(limits.paths, tracked + limits.paths / 2)
  }

  /** Adds nodes for the paths of the choice, and marks them so that they are never discarded. */
  private def keep(): Unit = {
    def within(path: PathStatistics, wanted: PathChoice): Unit = {
      path.kept = true
      wanted.fields.foreach { case (name, field) =>
        val id = names.add(name)
        if (path.child(id) == null) {
          path.addChild(new PathStatistics(id, missed = 0))
          tracked += 1
        }
        within(path.child(id), field)
      }
      wanted.element.foreach { element =>
        if (path.element == null) {
          path.element = new PathStatistics(nameId = -1, missed = 0)
          tracked += 1
        }
        within(path.element, element)
      }
    }
    within(root, choice.wanted)
    choice.current.foreach(schema => within(root, PathChoice.shapeOf(schema)))
  }
}

private object ColumnStatistics {

  /**
   * Most bytes of the names of all paths. Those of several Variants can be longer than the metadata
   * of one may be.
   */
  final val MaxNameBytes = 1 << 30

  /** Maps the ids of one metadata dictionary to ids of the column's names, when they are needed. */
  final class Remap(val dictionary: MetadataDictionary) {
    private val ids = {
      val result = new Array[Int](dictionary.size)
      Arrays.fill(result, Unmet)
      result
    }

    def nameOf(id: Int, names: MetadataBuilder): Int = {
      if (ids(id) == Unmet)
        ids(id) = names.add(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      ids(id)
    }

    /** Returns the id, or -1 if `names` does not have the name. */
    def knownName(id: Int, names: MetadataDictionary): Int = {
      if (ids(id) == Unmet)
        ids(id) = names.find(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      ids(id)
    }
  }

  private final val Unmet = -2
}
