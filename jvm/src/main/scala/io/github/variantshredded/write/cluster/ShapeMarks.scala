package io.github.variantshredded.write.cluster

import java.util.{Arrays, BitSet}

import scala.collection.mutable

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.variant.{
  DictionaryCache,
  MetadataDictionary,
  ObjectCursor,
  VariantConstants,
  VariantReader
}
import io.github.variantshredded.variant.encode.MetadataBuilder

/**
 * Computes the shape of a Variant, as marks: for each position of the shredding schema outside of
 * arrays, whether the Variant has a value there and whether the value has about the type of
 * `typed_value`; for each object, whether it has fields for the residual value.
 *
 * @param firstMark
 *   number of the first mark
 * @param maxMarks
 *   most marks; positions closer to the root get marks first
 */
private[cluster] final class ShapeMarks(schema: ShreddingSchema, firstMark: Int, maxMarks: Int) {
  import ShapeMarks._

  private val names = new MetadataBuilder
  private val weights = mutable.ArrayBuffer.empty[Int]
  private val root: Node = build()
  private val schemaNames: MetadataDictionary = {
    val metadata = names.build()
    MetadataDictionary.parse(metadata, 0, metadata.length)
  }
  private val plans = new DictionaryCache[Plan](new Plan(schemaNames, _))

  // State of the current row.
  private var plan: Plan = _
  private var residual = 0L

  /** Returns the number of marks. */
  def size: Int = weights.size

  /** Returns the number of leaf columns that the mark `i`, counted from 0, says something about. */
  def weight(i: Int): Int = weights(i)

  /**
   * Sets the marks of a Variant.
   *
   * @return
   *   a number that is equal for Variants with the same residual fields; 0 if there are none
   */
  def mark(variant: VariantInRow, marks: BitSet): Long = {
    residual = 0
    if (size > 0) {
      plan = plans.get(variant.bytes, variant.valueEnd, variant.metadataLength)
      mark(root, variant.bytes, variant.valuePos, variant.valueEnd, marks)
    }
    residual
  }

  // A second value at one position is left out: the Variant is malformed, which is an error when it
  // is written. Some kilobytes could claim any number of such values.
  private def mark(
      node: Node,
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      marks: BitSet
  ): Unit = if (!marks.get(node.mark + Present)) {
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
            // A sum, because fields can be sorted in two orders.
            residual += mixed(plan.hashOf(id) + node.mark)
          } else if (child.mark >= 0) mark(child, bytes, cursor.fieldPos(i), cursor.end, marks)
          i += 1
        }
      }
    }
  }

  // Numbers the marks from the root, so that positions closer to the root get marks first.
  private def build(): Node = {
    val top = new Node(schema)
    val queue = mutable.Queue(top)
    while (queue.nonEmpty) {
      val node = queue.dequeue()
      if (weights.size + node.markCount <= maxMarks) {
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

  /** Maps the names of one metadata dictionary to the names of the schema. */
  private final class Plan(schemaNames: MetadataDictionary, dictionary: MetadataDictionary) {
    private val names = new Array[Int](dictionary.size)
    private val hashes = new Array[Long](dictionary.size)

    for (id <- names.indices) {
      val start = dictionary.keyOffset(id)
      names(id) = schemaNames.find(dictionary.bytes, start, dictionary.keyLength(id))
      hashes(id) = hash(dictionary.bytes, start, start + dictionary.keyLength(id))
    }

    /** Returns the id that the name has in the schema, or -1. */
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

  /** Represents a position; `mark` is the number of its first mark, or -1 if it has none. */
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

    /** Returns the field with this name, or null. */
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
