package io.github.variantshredded.read.rebuild

import java.nio.charset.StandardCharsets.UTF_8
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
import io.github.variantshredded.read.rebuild.plan.{
  MetadataPlan,
  MixedShape,
  NewShapes,
  ObjectShape,
  OwnDictionaries
}
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.{
  CursorStack,
  FieldSorter,
  MetadataDictionary,
  ObjectCursor,
  ValueHeader,
  VariantConstants,
  VariantReader
}

/**
 * Rebuilds Variants by the section "Reconstructing a Shredded Variant" of the Parquet shredding
 * specification.
 *
 * The value is written backwards into one buffer (see [[ReverseBuffer]]). Apart from the result, no
 * memory is allocated per value.
 *
 * @param own
 *   reads the metadata of residual values that have metadata of their own; None if they share the
 *   metadata of the row
 */
private[read] final class VariantRebuilder(
    root: PositionVectors,
    own: Option[OwnDictionaries],
    context: FileContext
) extends Rebuilder {
  import context.{maxDepth, metrics, strict, validator}

  private val buffer = new ReverseBuffer
  private val path = new ValuePath(maxDepth)
  private val wide = new PrimitiveWriter(buffer, strict, path, isNarrow = false)
  private lazy val narrow = new PrimitiveWriter(buffer, strict, path, isNarrow = true)
  // Replaced while a large Variant is written once more.
  private var primitives = wide
  private val slice = new BinarySlice
  private val cursor = new ObjectCursor
  private val sorter = new FieldSorter
  private val residuals = new ResidualFields(context, path)
  private val entries = new ContainerEntries(buffer)
  private val renamed = new RenamedValues(buffer, entries)

  // The residual values of the partially shredded objects that are being written.
  private val residualObjects = new CursorStack(() => new ObjectCursor)
  private val newShapes = new NewShapes(idOf)
  private var plan: MetadataPlan = _

  // The dictionary of the last residual value, and for each of its ids the id in `plan`; null if
  // they are the same.
  private var dictionary: MetadataDictionary = _
  private var renaming: Array[Int] = _

  override def metadata(plan: MetadataPlan, slot: Int): Array[Byte] = plan.bytes

  override def rebuild(plan: MetadataPlan, slot: Int): Array[Byte] = {
    root.load()
    this.plan = plan
    path.clear()
    if (root.hasResidual(slot) && !root.hasTyped(slot)) {
      // The whole value is residual, so its bytes are copied.
      readAlone(root, slot, 0)
      Arrays.copyOfRange(slice.bytes, slice.start, slice.end)
    } else {
      metrics.variantsRebuilt += 1
      try writeRoot(slot)
      catch {
        // The numbers of a large Variant may have been narrower than their columns.
        case _: VariantShreddedException if buffer.isOverfull =>
          path.clear()
          primitives = narrow
          try writeRoot(slot)
          finally primitives = wide
      }
      buffer.toArray
    }
  }

  private def writeRoot(slot: Int): Unit = {
    buffer.clear()
    entries.clear()
    residuals.clear()
    residualObjects.clear()
    // A required Variant whose value is missing is a Variant null.
    if (!write(root, slot, 0)) buffer.putByte(VariantConstants.Null)
  }

  /** Writes the value of a position. Returns false if it is missing. */
  private def write(node: PositionVectors, slot: Int, depth: Int): Boolean = {
    val residual = node.hasResidual(slot)
    if (node.hasTyped(slot)) {
      writeTyped(node, node.typed, slot, residual, depth)
      true
    } else if (residual) {
      readAlone(node, slot, depth)
      renamed.put(slice.bytes, slice.start, slice.end, renaming)
      true
    } else {
      false
    }
  }

  private def writeTyped(
      node: PositionVectors,
      typed: TypedVectors,
      slot: Int,
      residual: Boolean,
      depth: Int
  ): Unit = typed match {
    case primitive: PrimitiveVectors =>
      if (residual) conflict(node, node.position.layout.primitive, "a primitive")
      primitives.write(node, primitive, slot)
    case list: ListVectors =>
      if (residual) conflict(node, node.position.layout.array, "an array")
      writeArray(node, list, slot, depth)
    case obj: ObjectVectors    => writeObject(node, obj, slot, residual, depth)
    case several: OneOfVectors =>
      val only = several.only(slot)
      if (only == null) {
        if (strict) {
          throw path.invalid(
            node,
            "More than one of 'object', 'array' and 'typed_value' are non-null."
          )
        }
        metrics.violationsTolerated += 1
      }
      writeTyped(node, if (only == null) several.first(slot) else only, slot, residual, depth)
  }

  /** Points `slice` at a validated residual value whose typed column is null. */
  private def readAlone(node: PositionVectors, slot: Int, depth: Int): Unit = {
    readResidual(node, slot, depth)
    if (strict && node.typed != null) {
      val first = slice.bytes(slice.start).toInt
      if (ValueHeader.isObject(first) && node.obj != null) checkAlone(node, node.obj)
      if (ValueHeader.isArray(first) && node.list != null) {
        throw path.invalid(
          node,
          s"'${node.position.layout.value}' holds an array, but '${node.position.layout.array}' " +
            "(an array) is null."
        )
      }
    }
  }

  /**
   * Checks that an object in `slice` may be a residual value although the position is shredded as
   * an object.
   */
  private def checkAlone(node: PositionVectors, obj: ObjectVectors): Unit =
    node.position.layout match {
      case Layout.Spec =>
        throw path.invalid(node, "'value' holds an object, but 'typed_value' (an object) is null.")
      case Layout.Overview =>
        // This layout allows it if the object has no shredded field.
        cursor.reset(slice.bytes, slice.start, slice.end)
        obj.names.find(cursor.indexOf(dictionary, _) >= 0).foreach { name =>
          throw path.invalid(
            node,
            s"'untyped_value' holds the field '${new String(name, UTF_8)}', which is shredded."
          )
        }
    }

  /** Points `slice` at a validated residual value. */
  private def readResidual(node: PositionVectors, slot: Int, depth: Int): Unit = {
    slice.read(node.residual, slot)
    metrics.residualValuesRead += 1
    try {
      renaming = null
      if (own.isEmpty) dictionary = plan.dictionary
      else {
        val owned = own.get.takeOff(slice)
        dictionary = owned.dictionary
        if ((owned ne plan) && dictionary.size > 0) renaming = plan.renaming(owned)
      }
      if (!strict && slice.cutToValue()) metrics.violationsTolerated += 1
      validator.check(slice.bytes, slice.start, slice.end, dictionary, maxDepth - depth)
      slice.sortFields(sorter, dictionary): Unit
    } catch {
      case e: VariantShreddedException => throw path.within(node, e)
    }
  }

  private def writeArray(node: PositionVectors, list: ListVectors, slot: Int, depth: Int): Unit = {
    checkDepth(node, depth)
    val offset = list.arrays.offsets(slot)
    val size = list.arrays.lengths(slot)
    val end = buffer.used
    val base = entries.count
    path.enterArray()
    var i = size - 1
    while (i >= 0) {
      path.atElement(i)
      val element = offset + i
      if (list.isNullElement(element)) {
        if (node.position.layout == Layout.Spec) {
          if (strict) {
            throw path.invalid(list.element, ValuePath.NullElement)
          }
          metrics.violationsTolerated += 1
        }
        buffer.putByte(VariantConstants.Null)
      } else if (!write(list.element, element, depth + 1)) {
        // A required value that is missing is a Variant null.
        buffer.putByte(VariantConstants.Null)
      }
      entries.add(0)
      i -= 1
    }
    path.leaveArray()
    entries.closeArray(base, end)
  }

  private def writeObject(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      hasValue: Boolean,
      depth: Int
  ): Unit = {
    checkDepth(node, depth)
    if (hasValue) {
      readResidual(node, slot, depth)
      val residual = residualObject(node, obj)
      val shape = if (residual == null) null else mixedShapeOf(obj, slot, residual)
      if (shape != null) writeMixedFields(shape, residual, slot, depth)
      else writeMixed(node, obj, slot, hasValue, depth)
      if (residual != null) residualObjects.pop()
    } else {
      val shape = shapeOf(obj, slot)
      if (shape != null) writeFields(shape, slot, depth)
      else writeMixed(node, obj, slot, hasValue, depth)
    }
  }

  /**
   * Returns the residual value in `slice`, if it is an object whose [[MixedShape]] can be used;
   * else null.
   */
  private def residualObject(node: PositionVectors, obj: ObjectVectors): ObjectCursor = {
    val isUsable = obj.present.words == 1 && renaming == null &&
      node.position.layout == Layout.Spec &&
      ValueHeader.isObject(slice.bytes(slice.start).toInt)
    if (!isUsable) null
    else residualObjects.push().reset(slice.bytes, slice.start, slice.end)
  }

  /** Returns the shape of an object with a residual value, or null if no shape can be used. */
  private def mixedShapeOf(obj: ObjectVectors, slot: Int, residual: ObjectCursor): MixedShape = {
    val word = obj.present.word(slot)
    val known = plan.shapes.find(obj, word, residual)
    if (known != null || obj.shapesLeft == 0) known else newShapes.mixed(plan, obj, word, residual)
  }

  /** Returns the shape of an object without a residual value, or null if no shape can be used. */
  private def shapeOf(obj: ObjectVectors, slot: Int): ObjectShape = {
    val fields = obj.present
    if (fields.words != 1) null
    else {
      val word = fields.word(slot)
      val known = plan.shapes.find(obj, word)
      if (known != null || obj.shapesLeft == 0) known else newShapes.plain(plan, obj, word)
    }
  }

  /** Returns the dictionary id of the field `number` of an object. */
  private def idOf(obj: ObjectVectors, number: Int): Int = {
    val id = plan.id(obj.ordinals(obj.present.index(number)))
    if (id >= 0) id
    else {
      throw path.invalid(
        obj.present.field(number),
        "A shredded field has a value, but its name is not in the metadata of the row."
      )
    }
  }

  private def writeFields(shape: ObjectShape, slot: Int, depth: Int): Unit = {
    val entries = this.entries
    val end = buffer.used
    val fields = shape.fields
    val base = entries.claim(fields.length)
    var i = 0
    while (i < fields.length) {
      writeField(fields(i), slot, depth + 1)
      entries.mark(base + i)
      i += 1
    }
    entries.closeObject(base, end, shape.ids)
  }

  private def writeMixedFields(
      shape: MixedShape,
      residual: ObjectCursor,
      slot: Int,
      depth: Int
  ): Unit = {
    val entries = this.entries
    val end = buffer.used
    val order = shape.order
    val bytes = residual.source
    val base = entries.claim(order.length)
    var i = 0
    while (i < order.length) {
      val field = order(i)
      if (field >= 0) writeField(shape.shredded.fields(field), slot, depth + 1)
      else {
        val start = residual.fieldPos(-1 - field)
        buffer.putBytes(bytes, start, VariantReader.valueSize(bytes, start, residual.end))
      }
      entries.mark(base + i)
      i += 1
    }
    entries.closeObject(base, end, shape.ids)
  }

  /**
   * Writes a field that is set in the object's [[io.github.variantshredded.read.decode.FieldBits]].
   */
  private def writeField(field: PositionVectors, slot: Int, depth: Int): Unit = {
    val isTyped = !field.hasResidual(slot)
    if (isTyped && field.primitive != null) primitives.write(field, field.primitive, slot)
    else if (isTyped && field.onlyObject != null) {
      writeObject(field, field.onlyObject, slot, hasValue = false, depth)
    } else if (!write(field, slot, depth)) {
      throw new IllegalStateException("a field went missing")
    }
  }

  /** Writes an object without a known shape. Its residual value, if it has one, is in `slice`. */
  private def writeMixed(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      hasValue: Boolean,
      depth: Int
  ): Unit = {
    val end = buffer.used
    val base = entries.count
    val residualBase = residuals.count
    if (hasValue) residuals.open(node, obj, slice, slot, plan, renaming)
    // Descending order of names, because everything is written backwards.
    val fields = obj.present
    var w = fields.words - 1
    while (w >= 0) {
      var word = fields.word(slot * fields.words + w)
      while (word != 0) {
        val bit = 63 - java.lang.Long.numberOfLeadingZeros(word)
        word ^= 1L << bit
        val number = (w << 6) + bit
        val field = fields.field(number)
        val id = idOf(obj, number)
        if (residuals.count > residualBase) writeResiduals(residualBase, id)
        writeField(field, slot, depth + 1)
        entries.add(id)
      }
      w -= 1
    }
    if (residuals.count > residualBase) writeResiduals(residualBase, -1)
    entries.closeObject(base, end)
  }

  /**
   * Writes the residual fields above `base` whose names come after the name `id`, or all if `id` is
   * -1.
   */
  private def writeResiduals(base: Int, id: Int): Unit =
    while (
      residuals.count > base &&
      (id < 0 || plan.dictionary.compareKeys(residuals.lastId, id) > 0)
    ) {
      renamed.put(
        residuals.bytes,
        residuals.lastStart,
        residuals.lastEnd,
        residuals.lastRenaming
      )
      entries.add(residuals.lastId)
      residuals.removeLast()
    }

  private def checkDepth(node: PositionVectors, depth: Int): Unit =
    if (depth >= maxDepth) {
      throw VariantShreddedErrors.malformedVariant(
        s"The value is nested deeper than $maxDepth.",
        path.location(node)
      )
    }

  /**
   * Handles a residual value beside a typed value that is not an object: an error in strict mode,
   * counted in permissive mode.
   */
  private def conflict(node: PositionVectors, typed: String, what: String): Unit = {
    if (strict) {
      throw path.invalid(
        node,
        s"Both '${node.position.layout.value}' and '$typed' ($what) are non-null."
      )
    }
    metrics.violationsTolerated += 1
  }
}
