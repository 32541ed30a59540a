package io.github.variantshredded.write.cluster

import java.util.{Arrays, BitSet}

import scala.collection.mutable

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.variant.{
  DictionaryCache,
  MetadataBuilder,
  MetadataDictionary,
  ObjectCursor,
  VariantConstants,
  VariantReader
}

/**
 * Which columns of a shredding schema a Variant fills, as marks: for each position outside of arrays
 * whether it is there, whether the value has about the type of `typed_value`, and of objects whether
 * fields are left for `value`.
 *
 * @param firstMark
 *   number of the first mark
 * @param mostMarks
 *   marks at most: the upper positions have them
 */
private[cluster] final class ShapeMarks(schema: ShreddingSchema, firstMark: Int, mostMarks: Int) {
  import ShapeMarks._

  private val names = new MetadataBuilder
  private val weights = mutable.ArrayBuffer.empty[Int]
  private val root: Node = build()
  private val schemaNames: MetadataDictionary = {
    val metadata = names.build()
    MetadataDictionary.parse(metadata, 0, metadata.length)
  }
  private val plans = new DictionaryCache[Plan](new Plan(schemaNames, _))

  // Of the row at work.
  private var plan: Plan = _
  private var residual = 0L

  /** Number of marks. */
  def size: Int = weights.size

  /** Leaf columns on which the mark `i`, from 0, tells something. */
  def weight(i: Int): Int = weights(i)

  /**
   * Sets the marks of the Variant at `place`.
   *
   * @return
   *   a number that is the same for Variants with the same fields left for `value`, next to those of
   *   the schema; 0 if there are none
   */
  def mark(place: RowVariant, marks: BitSet): Long = {
    residual = 0
    if (size > 0) {
      plan = plans.get(place.bytes, place.valueEnd, place.metadataLength)
      mark(root, place.bytes, place.valuePos, place.valueEnd, marks)
    }
    residual
  }

  private def mark(
      node: Node,
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      marks: BitSet
  ): Unit = {
    marks.set(node.mark + Present)
    val kind = VariantReader.kind(bytes, pos, end)
    if (node.holds(kind)) {
      marks.set(node.mark + Typed)
      if (node.children.nonEmpty) {
        val cursor = node.cursor.reset(bytes, pos, end)
        var i = 0
        while (i < cursor.numFields) {
          val id = cursor.fieldId(i)
          val child = node.child(plan.nameOf(id))
          if (child == null) {
            marks.set(node.mark + Residual)
            // A sum, as fields have one of two orders.
            residual += mixed(plan.hashOf(id) + node.mark)
          } else if (child.mark >= 0) mark(child, bytes, cursor.fieldPos(i), cursor.end, marks)
          i += 1
        }
      }
    }
  }

  // Numbers marks from the top, so that the upper positions have them if there are not enough.
  private def build(): Node = {
    val top = new Node(schema)
    val queue = mutable.Queue(top)
    while (queue.nonEmpty) {
      val node = queue.dequeue()
      if (weights.size + node.markCount <= mostMarks) {
        node.mark = firstMark + weights.size
        weights ++= Seq.fill(node.markCount)(node.leaves)
        node.addChildren(names)
        queue ++= node.children
      }
    }
    top
  }
}

private object ShapeMarks {
  private final val Present = 0
  private final val Typed = 1
  private final val Residual = 2

  /** The names of a dictionary. */
  private final class Plan(schemaNames: MetadataDictionary, dictionary: MetadataDictionary) {
    private val names = new Array[Int](dictionary.size)
    private val hashes = new Array[Long](dictionary.size)

    for (id <- names.indices) {
      val start = dictionary.keyOffset(id)
      names(id) = schemaNames.find(dictionary.bytes, start, dictionary.keyLength(id))
      hashes(id) = hash(dictionary.bytes, start, start + dictionary.keyLength(id))
    }

    /** Which of the schema's names an id has, or -1. */
    def nameOf(id: Int): Int = if (id < names.length) names(id) else -1

    def hashOf(id: Int): Long = if (id < hashes.length) hashes(id) else 0
  }

  private def hash(bytes: Array[Byte], start: Int, end: Int): Long = {
    var hash = 0xcbf29ce484222325L
    var i = start
    while (i < end) {
      hash = (hash ^ (bytes(i) & 0xff)) * 0x100000001b3L
      i += 1
    }
    hash
  }

  private def mixed(number: Long): Long = {
    val half = (number ^ (number >>> 33)) * 0xff51afd7ed558ccdL
    half ^ (half >>> 29)
  }

  /** A position; `mark` is its first, -1 if it has none. */
  private final class Node(schema: ShreddingSchema) {
    var mark = -1
    var children: Array[Node] = Array.empty
    private var childNames: Array[Int] = Array.emptyIntArray
    val cursor = new ObjectCursor

    val leaves: Int = leavesOf(schema)

    def markCount: Int = schema match {
      case ObjectOf(_) => 3
      case _           => 2
    }

    def holds(kind: Int): Boolean = schema match {
      case Unshredded   => kind != VariantConstants.Null
      case ObjectOf(_)  => kind == VariantReader.ObjectKind
      case ArrayOf(_)   => kind == VariantReader.ArrayKind
      case Primitive(_) => kind < VariantReader.ObjectKind && kind != VariantConstants.Null
    }

    def addChildren(names: MetadataBuilder): Unit = schema match {
      case ObjectOf(fields) =>
        val byId =
          fields.map { case (name, field) => names.add(name) -> new Node(field) }.sortBy(_._1)
        childNames = byId.map(_._1).toArray
        children = byId.map(_._2).toArray
      case _ => ()
    }

    /** The field of this name, or null. */
    def child(name: Int): Node = {
      val at = if (name < 0) -1 else Arrays.binarySearch(childNames, name)
      if (at < 0) null else children(at)
    }
  }

  private def leavesOf(schema: ShreddingSchema): Int = schema match {
    case Unshredded       => 1
    case Primitive(_)     => 2
    case ArrayOf(element) => 1 + leavesOf(element)
    case ObjectOf(fields) => 1 + fields.map { case (_, field) => leavesOf(field) }.sum
  }
}
