package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.read.decode.ObjectVectors
import io.github.variantshredded.variant.ObjectCursor

/**
 * Makes the shapes of objects, and keeps them in the plan of the metadata.
 *
 * @param idOf
 *   returns the dictionary id of a field of an object, whose number in `FieldBits` is given
 */
private[rebuild] final class NewShapes(idOf: (ObjectVectors, Int) => Int) {

  private var mixedLeft = NewShapes.MaxMixed

  /** Returns the shape of an object without a residual value. */
  def plain(plan: MetadataPlan, obj: ObjectVectors, word: Long): ObjectShape = {
    obj.shapesLeft -= 1
    val shape = newShape(obj, word)
    plan.shapes.keep(shape)
    shape
  }

  /**
   * Returns the shape of an object with the residual value `residual`, whose fields have been
   * sorted. Returns null if there are too many shapes, or if the residual value has a shredded field.
   */
  def mixed(
      plan: MetadataPlan,
      obj: ObjectVectors,
      word: Long,
      residual: ObjectCursor
  ): MixedShape =
    if (mixedLeft == 0 || !isRegular(plan, obj, residual)) null
    else {
      obj.shapesLeft -= 1
      mixedLeft -= 1
      val shape = MixedShape(newShape(obj, word), idsOf(obj, word), residual, plan.dictionary)
      plan.shapes.keep(shape)
      shape
    }

  /** Returns true if a residual value has no shredded field, which would be a violation. */
  private def isRegular(plan: MetadataPlan, obj: ObjectVectors, residual: ObjectCursor): Boolean = {
    val shredded = plan.shredded(obj)
    var i = 0
    while (i < residual.numFields && !shredded(residual.fieldId(i))) i += 1
    i == residual.numFields
  }

  private def newShape(obj: ObjectVectors, word: Long): ObjectShape =
    new ObjectShape(
      obj,
      word,
      obj.present.numbering,
      numbersOf(word).map(obj.present.field),
      IdList.reversed(idsOf(obj, word))
    )

  /** Returns the dictionary ids of the fields in a bitmap, in descending order of names. */
  private def idsOf(obj: ObjectVectors, word: Long): Array[Int] = numbersOf(word).map(idOf(obj, _))

  private def numbersOf(word: Long): Array[Int] = {
    val numbers = new Array[Int](java.lang.Long.bitCount(word))
    var rest = word
    var i = 0
    while (i < numbers.length) {
      numbers(i) = 63 - java.lang.Long.numberOfLeadingZeros(rest)
      rest ^= 1L << numbers(i)
      i += 1
    }
    numbers
  }
}

private object NewShapes {

  /** The maximum number of mixed shapes of a file, which take some hundred bytes each. */
  private final val MaxMixed = 16384
}
