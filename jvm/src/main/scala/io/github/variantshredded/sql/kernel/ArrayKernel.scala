package io.github.variantshredded.sql.kernel

import io.github.variantshredded.variant.{ArrayCursor, MetadataDictionary}
import org.apache.spark.unsafe.types.VariantVal

/** Holds what functions that build arrays have in common. */
private[sql] abstract class ArrayKernel extends VariantKernel {

  /** Returns the function's name, for messages. */
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
