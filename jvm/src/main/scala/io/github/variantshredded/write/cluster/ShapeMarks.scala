package io.github.variantshredded.write.cluster

import java.util.{Arrays, BitSet}

import scala.collection.mutable

import io.github.variantshredded.shredding.{DictionaryCache, ShreddingSchema}
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.variant.{
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
  private val nameIds = new DictionaryCache[Array[Int]](compile)

  /** Number of marks. */
  def size: Int = weights.size

  /** Leaf columns on which the mark `i`, from 0, tells something. */
  def weight(i: Int): Int = weights(i)

  /** Sets the marks of the Variant at `place`. */
  def mark(place: VariantPlace, marks: BitSet): Unit = if (size > 0) {
    val ids = nameIds.get(place.bytes, place.valueEnd, place.metadataLength)
    mark(root, place.bytes, place.valuePos, place.valueEnd, ids, marks)
  }

  private def mark(
      node: Node,
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      ids: Array[Int],
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
          val child = if (id < ids.length) node.child(ids(id)) else null
          if (child == null) marks.set(node.mark + Residual)
          else if (child.mark >= 0) mark(child, bytes, cursor.fieldPos(i), cursor.end, ids, marks)
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

  private def compile(dictionary: MetadataDictionary): Array[Int] = {
    val ids = new Array[Int](dictionary.size)
    var id = 0
    while (id < ids.length) {
      ids(id) =
        schemaNames.find(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      id += 1
    }
    ids
  }
}

private object ShapeMarks {
  private final val Present = 0
  private final val Typed = 1
  private final val Residual = 2

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
        val byId = fields.map { case (name, field) => names.add(name) -> new Node(field) }.sortBy(_._1)
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
