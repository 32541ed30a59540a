package io.github.variantshredded.sql

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{ArrayCursor, MetadataDictionary, VariantReader}
import org.apache.spark.unsafe.types.VariantVal

/** Returns the number of elements of an array; null for any other value. */
private[sql] final case class ArraySize() extends VariantKernel {
  @transient private lazy val cursor = new ArrayCursor

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (variant == null || VariantArguments.kind(variant) != VariantReader.ArrayKind) null
    else Integer.valueOf(cursor.reset(variant.getValue, 0, variant.getValue.length).numElements)
  }
}

/** Holds what functions that build arrays have in common. */
private[sql] sealed abstract class ArrayKernel extends VariantKernel {

  /** The function's name, for messages. */
  def function: String

  @transient protected final lazy val arguments = new VariantArguments(function)
  @transient protected final lazy val assembly = new VariantAssembly
  @transient protected final lazy val cursor = new ArrayCursor

  // State of the array that was opened last.
  @transient private var names: MetadataDictionary = _
  @transient protected final var bytes: Array[Byte] = _

  /** Opens an array. Returns false for a Variant null. */
  protected final def open(variant: VariantVal): Boolean = {
    val isArray = arguments.array(variant, cursor)
    if (isArray) {
      names = arguments.dictionary(variant)
      bytes = variant.getValue
    }
    isArray
  }

  /** Adds a value; SQL NULL becomes a Variant null. */
  protected final def addValue(variant: VariantVal): Unit =
    if (variant == null) assembly.encoder.writeNull() else assembly.addWhole(arguments, variant)

  /** Adds the elements [from, until) of the array that was opened last. */
  protected final def addElements(from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      assembly.add(names, bytes, cursor.elementPos(i), cursor.end)
      i += 1
    }
  }

  protected final def begin(): Unit = {
    assembly.reset()
    assembly.encoder.beginArray()
  }

  protected final def end(): VariantVal = {
    assembly.encoder.endArray()
    assembly.result()
  }
}

/** Returns an array of values; NULL becomes a Variant null, or is left out if `compact`. */
private[sql] final case class ArrayConstruct(function: String, compact: Boolean)
    extends ArrayKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    begin()
    var i = 0
    while (i < values.length) {
      val value = values(i).asInstanceOf[VariantVal]
      if (value != null || !compact) addValue(value)
      i += 1
    }
    end()
  }
}

/** Concatenates arrays; null if one of them is NULL or a Variant null. */
private[sql] final case class ArrayCat(function: String) extends ArrayKernel {
  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    begin()
    var i = 0
    while (i < values.length && added(values(i).asInstanceOf[VariantVal])) i += 1
    if (i < values.length) null else end()
  }

  private def added(variant: VariantVal): Boolean = {
    val isArray = variant != null && open(variant)
    if (isArray) addElements(0, cursor.numElements)
    isArray
  }
}

/**
 * Returns the first argument, an array, with changed elements; null if it is NULL, or one of the
 * integers that follow it (`positions` is their number).
 *
 * Positions count from 0, and negative ones from the end.
 */
private[sql] sealed abstract class ArrayChange(positions: Int) extends ArrayKernel {

  final override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    if (hasNull(values) || !open(variant)) null
    else {
      begin()
      addChanged(cursor.numElements, values)
      end()
    }
  }

  /** Adds the elements of the result; `size` is the number of elements of the first argument. */
  protected def addChanged(size: Int, values: Array[AnyRef]): Unit

  protected final def position(values: Array[AnyRef], argument: Int): Int =
    values(argument).asInstanceOf[Integer].intValue

  private def hasNull(values: Array[AnyRef]): Boolean = {
    var i = 0
    while (i <= positions && values(i) != null) i += 1
    i <= positions
  }
}

/** Inserts a value before a position; Variant nulls fill a gap after the end of the array. */
private[sql] final case class ArrayInsert(function: String) extends ArrayChange(positions = 1) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    val asked = position(values, 1)
    val at = if (asked < 0) math.max(size + asked, 0) else asked
    if (at - size > ArrayInsert.MaxGap)
      throw VariantShreddedErrors.functionArgument(
        function,
        s"is to insert at $at, more than ${ArrayInsert.MaxGap} behind the end of the array"
      )
    addElements(0, math.min(at, size))
    var i = size
    while (i < at) {
      assembly.encoder.writeNull()
      i += 1
    }
    addValue(values(2).asInstanceOf[VariantVal])
    addElements(at, size)
  }
}

private[sql] object ArrayInsert {

  /** Most Variant nulls that fill a gap. */
  final val MaxGap = 100000
}

/** Appends a value to an array. */
private[sql] final case class ArrayAppend(function: String) extends ArrayChange(positions = 0) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    addElements(0, size)
    addValue(values(1).asInstanceOf[VariantVal])
  }
}

/** Prepends a value to an array. */
private[sql] final case class ArrayPrepend(function: String) extends ArrayChange(positions = 0) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    addValue(values(1).asInstanceOf[VariantVal])
    addElements(0, size)
  }
}

/** Returns the elements from one position up to another, which is not included. */
private[sql] final case class ArraySlice(function: String) extends ArrayChange(positions = 2) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit =
    addElements(place(position(values, 1), size), place(position(values, 2), size))

  private def place(position: Int, size: Int): Int =
    if (position < 0) math.max(size + position, 0) else math.min(position, size)
}

/** Removes the element at a position; the array is unchanged if there is none. */
private[sql] final case class ArrayRemoveAt(function: String) extends ArrayChange(positions = 1) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    val asked = position(values, 1)
    val at = if (asked < 0) size + asked else asked
    val removed = if (at < 0 || at > size) size else at
    addElements(0, removed)
    addElements(removed + 1, size)
  }
}

/** Removes the Variant nulls of an array. */
private[sql] final case class ArrayCompact(function: String) extends ArrayChange(positions = 0) {
  override def fresh: VariantKernel = copy()

  override protected def addChanged(size: Int, values: Array[AnyRef]): Unit = {
    var i = 0
    while (i < size) {
      if (!VariantReader.isNull(bytes, cursor.elementPos(i), cursor.end))
        addElements(i, i + 1)
      i += 1
    }
  }
}
