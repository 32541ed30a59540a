package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.read.decode.{
  ListVectors,
  ObjectVectors,
  OneOfVectors,
  PositionVectors,
  PrimitiveVectors,
  TypedVectors
}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.{FieldsTable, MetadataPlan}
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.variant.{CursorStack, ObjectCursor, ValueHeader}
import io.github.variantshredded.variant.encode.{RenamingCopy, VariantEncoder}

/**
 * Rebuilds Variants with the bytes that Spark's Parquet reader gives them
 * (`org.apache.spark.types.variant.ShreddingUtils.rebuild`):
 *
 *   - the metadata list only the names that the value has, in the order of their first use;
 *   - the fields of an object follow one another in the order of the file, its residual fields
 *     last;
 *   - integers and decimals take the fewest bytes.
 *
 * What Spark refuses is `MALFORMED_VARIANT` here too. Residual values are not validated beyond
 * what is needed to copy them.
 */
private[read] final class SparkRebuilder(root: PositionVectors, context: FileContext)
    extends Rebuilder {
  import context.{maxDepth, metrics}

  private val encoder = new VariantEncoder
  private val primitives = new SparkPrimitives(encoder)
  private val names = new UsedNames
  private val path = new ValuePath(maxDepth)
  private val slice = new BinarySlice
  private val residualObjects = new CursorStack(() => new ObjectCursor)
  private val copies = new RenamingCopy(encoder, names, maxDepth) {
    override protected def newId(id: Int): Int = names.use(id)
  }

  private val shapes = new FieldsTable[SparkShape](bits = 4)
  private var plan: MetadataPlan = _

  // The fields of the objects without a shape that are being written: the ordinal in the file in
  // the upper 32 bits, the number in the object in the lower.
  private var ordered = new Array[Long](64)
  private var orderedCount = 0

  // The last metadata are kept because Spark reads value and metadata of a Variant one after the
  // other.
  private var lastSlot = -1
  private var lastBatch = -1

  override def rebuild(plan: MetadataPlan, slot: Int): Array[Byte] = {
    encode(plan, slot)
    encoder.toByteArray
  }

  override def metadata(plan: MetadataPlan, slot: Int): Array[Byte] = {
    if (slot != lastSlot || root.batch != lastBatch || (plan ne this.plan)) encode(plan, slot)
    names.metadata
  }

  private def encode(plan: MetadataPlan, slot: Int): Unit = {
    root.load()
    this.plan = plan
    lastSlot = -1
    encoder.reset()
    names.start(plan)
    path.clear()
    residualObjects.clear()
    copies.reset()
    orderedCount = 0
    metrics.variantsRebuilt += 1
    write(root, slot, 0)
    lastSlot = slot
    lastBatch = root.batch
  }

  private def write(node: PositionVectors, slot: Int, depth: Int): Unit =
    if (node.hasTyped(slot)) writeTyped(node, node.typed, slot, depth)
    else if (node.hasResidual(slot)) {
      readResidual(node, slot)
      copy(node, slice.bytes, slice.start, slice.end, depth)
    } else throw malformed(node, ValuePath.MissingValue)

  private def writeTyped(
      node: PositionVectors,
      typed: TypedVectors,
      slot: Int,
      depth: Int
  ): Unit = typed match {
    case primitive: PrimitiveVectors => writePrimitive(node, primitive, slot)
    case obj: ObjectVectors          => writeObject(node, obj, slot, depth)
    case list: ListVectors           => writeArray(node, list, slot, depth)
    case _: OneOfVectors             =>
      throw new IllegalStateException("only the layout `overview` has several typed columns")
  }

  private def writePrimitive(node: PositionVectors, typed: PrimitiveVectors, slot: Int): Unit =
    try primitives.write(typed, slot)
    catch { case e: VariantShreddedException => throw path.within(node, e) }

  private def writeArray(node: PositionVectors, list: ListVectors, slot: Int, depth: Int): Unit = {
    checkDepth(node, depth)
    val offset = list.arrays.offsets(slot)
    val size = list.arrays.lengths(slot)
    encoder.beginArray()
    path.enterArray()
    var i = 0
    while (i < size) {
      path.atElement(i)
      write(list.element, offset + i, depth + 1)
      i += 1
    }
    path.leaveArray()
    encoder.endArray()
  }

  private def writeObject(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      depth: Int
  ): Unit = {
    checkDepth(node, depth)
    val shape = if (obj.present.words == 1) shapeOf(obj, slot) else null
    encoder.beginObject()
    if (shape != null) writeShape(shape, slot, depth) else writeFields(obj, slot, depth)
    if (node.hasResidual(slot)) {
      writeResidualFields(node, obj, slot, depth)
      encoder.endObject(names)
    } else if (shape != null) encoder.endObject(shape.byName)
    else encoder.endObject(names)
  }

  private def writeShape(shape: SparkShape, slot: Int, depth: Int): Unit = {
    val fields = shape.fields
    val ordinals = shape.ordinals
    var i = 0
    while (i < fields.length) {
      writeField(fields(i), ordinals(i), slot, depth)
      i += 1
    }
  }

  /** Returns the shape of an object with at most 64 fields, or null if no more shapes may be made. */
  private def shapeOf(obj: ObjectVectors, slot: Int): SparkShape = {
    val word = obj.present.word(slot)
    val known = shapes.find(obj, word)
    if (known != null || obj.shapesLeft == 0) known
    else {
      obj.shapesLeft -= 1
      val shape = newShape(obj, word, slot)
      shapes.keep(shape)
      shape
    }
  }

  private def newShape(obj: ObjectVectors, word: Long, slot: Int): SparkShape = {
    val base = orderedCount
    pushInOrder(obj, slot)
    val count = orderedCount - base
    orderedCount = base
    val fields = new Array[PositionVectors](count)
    val ordinals = new Array[Int](count)
    val byName = new Array[Int](count)
    var i = 0
    while (i < count) {
      val number = ordered(base + i).toInt
      fields(i) = obj.present.field(number)
      ordinals(i) = obj.ordinals(obj.present.index(number))
      // Fields are numbered in the order of their names.
      byName(java.lang.Long.bitCount(word & ((1L << number) - 1))) = i
      i += 1
    }
    new SparkShape(obj, word, obj.present.numbering, fields, ordinals, byName)
  }

  /** Adds the fields of an object to `ordered`, in the order of the file. */
  private def pushInOrder(obj: ObjectVectors, slot: Int): Unit = {
    val fields = obj.present
    val base = orderedCount
    var w = 0
    while (w < fields.words) {
      var word = fields.word(slot * fields.words + w)
      while (word != 0) {
        val number = (w << 6) + java.lang.Long.numberOfTrailingZeros(word)
        word &= word - 1
        if (orderedCount == ordered.length) ordered = Arrays.copyOf(ordered, orderedCount * 2)
        ordered(orderedCount) = obj.ordinals(fields.index(number)).toLong << 32 | number
        orderedCount += 1
      }
      w += 1
    }
    Arrays.sort(ordered, base, orderedCount)
  }

  /** Writes the fields of an object without a shape. */
  private def writeFields(obj: ObjectVectors, slot: Int, depth: Int): Unit = {
    val base = orderedCount
    pushInOrder(obj, slot)
    val end = orderedCount
    var i = base
    while (i < end) {
      val number = ordered(i).toInt
      val ordinal = obj.ordinals(obj.present.index(number))
      writeField(obj.present.field(number), ordinal, slot, depth)
      i += 1
    }
    orderedCount = base
  }

  private def writeField(field: PositionVectors, ordinal: Int, slot: Int, depth: Int): Unit = {
    val id = plan.id(ordinal)
    encoder.field(names.use(if (id >= 0) id else plan.addName(ordinal)))
    // `hasTyped`, which takes two virtual calls, is not needed for the most common fields.
    val primitive = field.primitive
    if (primitive != null && primitive.arrays.nulls(slot) == 0) {
      writePrimitive(field, primitive, slot)
    } else write(field, slot, depth + 1)
  }

  private def writeResidualFields(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      depth: Int
  ): Unit = {
    readResidual(node, slot)
    if (slice.length == 0 || !ValueHeader.isObject(slice.bytes(slice.start).toInt)) {
      throw malformed(node, "'value' is not an object, but 'typed_value' (an object) is non-null.")
    }
    try {
      val residual = residualObjects.push().reset(slice.bytes, slice.start, slice.end)
      val shredded = plan.shredded(obj)
      var i = 0
      while (i < residual.numFields) {
        val id = residual.fieldId(i)
        // This call fails for an id that the dictionary does not have.
        encoder.field(names.use(id))
        if (shredded(id)) {
          val name = plan.dictionary.key(id)
          throw malformed(node, s"'value' holds the field '$name', which is shredded.")
        }
        copy(node, residual.source, residual.fieldPos(i), residual.end, depth + 1)
        i += 1
      }
      residualObjects.pop()
    } catch {
      case e: VariantShreddedException if e.location.path.isEmpty => throw path.within(node, e)
    }
  }

  private def readResidual(node: PositionVectors, slot: Int): Unit = {
    slice.read(node.residual, slot)
    metrics.residualValuesRead += 1
  }

  private def copy(
      node: PositionVectors,
      bytes: Array[Byte],
      start: Int,
      limit: Int,
      depth: Int
  ): Unit =
    try copies.copy(bytes, start, limit, depth)
    catch { case e: VariantShreddedException => throw path.within(node, e) }

  private def checkDepth(node: PositionVectors, depth: Int): Unit =
    if (depth >= maxDepth) throw malformed(node, s"The value is nested deeper than $maxDepth.")

  private def malformed(node: PositionVectors, rule: String): VariantShreddedException =
    VariantShreddedErrors.malformedVariant(rule, path.location(node))
}
