package io.github.variantshredded.replace

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.variant.{
  ContainerHeader,
  DictionaryCache,
  LittleEndian,
  MetadataDictionary,
  ValueHeader,
  VariantNumbers
}
import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.types.variant.VariantUtil

/**
 * Decides whether a Variant leaves a merged schema unchanged, by one walk over its bytes that
 * allocates no objects.
 *
 * Schemas are merged node by node, so a Variant changes nothing if each of its parts changes
 * nothing at its own node. Spark merges the elements of an array with each other first. The result
 * is the same, because two types that leave a type unchanged also do so after they are merged;
 * [[CoveredSchemas]] excepts the objects for which this is not so.
 *
 * One instance serves one thread.
 */
private[variantshredded] final class SchemaCover {
  import SchemaCover._

  private val schemas = new CoveredSchemas
  private val dictionaries = new DictionaryCache[DictionaryNames](new DictionaryNames(_, schemas))

  private var value = Array.emptyByteArray
  private var names: DictionaryNames = _

  def of(schema: DataType): CoveredSchema = schemas.of(schema)

  /** Returns true if the Variant is well-formed and leaves `schema` unchanged. */
  def holds(schema: CoveredSchema, value: Array[Byte], metadata: Array[Byte]): Boolean =
    value.length <= SizeLimit && metadata.length <= SizeLimit && {
      this.value = value
      try {
        names = dictionaries.get(metadata, 0, metadata.length)
        holds(schema, 0, MaxDepth)
      } catch {
        // Spark's own code reports the error in the metadata.
        case _: VariantShreddedException => false
      }
    }

  private def holds(schema: CoveredSchema, pos: Int, depthLeft: Int): Boolean =
    pos < value.length && {
      val header = value(pos) & 0xff
      ValueHeader.basicType(header) match {
        case BasicShortString => schema.holds(LongString)
        case BasicPrimitive   =>
          val id = ValueHeader.info(header)
          schema.holds(id) || id >= Decimal4 && id <= Decimal16 && holdsDecimal(schema, pos, id)
        case BasicObject =>
          depthLeft > 0 && (schema.isObject || schema.isVariant) &&
          holdsObject(schema, pos, header, depthLeft - 1)
        case _ =>
          depthLeft > 0 && (schema.isArray || schema.isVariant) &&
          holdsArray(schema, pos, header, depthLeft - 1)
      }
    }

  /** Compares decimals as Spark does: without trailing zeros. */
  private def holdsDecimal(schema: CoveredSchema, pos: Int, id: Int): Boolean = {
    val left = value.length - pos
    if (id == Decimal16) {
      left >= 18 && {
        val decimal = Decimal(VariantUtil.getDecimal(value, pos))
        schema.holdsDecimal(decimal.precision, decimal.scale)
      }
    } else if (left < (if (id == Decimal4) 6 else 10)) false
    else {
      val unscaled =
        if (id == Decimal4) LittleEndian.getInt(value, pos + 2).toLong
        else LittleEndian.getLong(value, pos + 2)
      val isInRange =
        if (id == Decimal4) VariantNumbers.fitsDecimal4(unscaled)
        else VariantNumbers.fitsDecimal8(unscaled)
      val scale = value(pos + 1) & 0xff
      isInRange && scale <= (if (id == Decimal4) 9 else 18) &&
      holdsDecimal(schema, math.abs(unscaled), scale)
    }
  }

  private def holdsDecimal(schema: CoveredSchema, unscaled: Long, scale: Int): Boolean = {
    var number = unscaled
    var digitsAfter = if (unscaled == 0) 0 else scale
    while (digitsAfter > 0 && number % 10 == 0) {
      number /= 10
      digitsAfter -= 1
    }
    var digits = 1
    var rest = number / 10
    while (rest > 0) {
      rest /= 10
      digits += 1
    }
    schema.holdsDecimal(math.max(digits, digitsAfter), digitsAfter)
  }

  private def holdsArray(
      schema: CoveredSchema,
      pos: Int,
      header: Int,
      depthLeft: Int
  ): Boolean = {
    val count = ContainerHeader.count(value, pos, value.length, header)
    count >= 0 && {
      val width = ContainerHeader.offsetWidth(header)
      val offsetsAt = ContainerHeader.listsStart(pos, header)
      val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
      val element = if (schema.isVariant) schema else schema.element
      var i = 0
      while (i < count && holdsChild(element, dataPos, offsetsAt + i * width, width, depthLeft)) {
        i += 1
      }
      i == count
    }
  }

  private def holdsObject(
      schema: CoveredSchema,
      pos: Int,
      header: Int,
      depthLeft: Int
  ): Boolean = {
    val count = ContainerHeader.count(value, pos, value.length, header)
    count >= 0 && {
      val idWidth = ContainerHeader.idWidth(header)
      val width = ContainerHeader.offsetWidth(header)
      val idsAt = ContainerHeader.listsStart(pos, header)
      if (schema.isVariant) holdsAnyFields(schema, idsAt, idWidth, width, count, depthLeft)
      else holdsFields(schema, idsAt, idWidth, width, count, depthLeft)
    }
  }

  /**
   * Compares fields: both lists are in the order of names, or Spark reports a malformed Variant.
   */
  private def holdsFields(
      schema: CoveredSchema,
      idsAt: Int,
      idWidth: Int,
      width: Int,
      count: Int,
      depthLeft: Int
  ): Boolean = {
    val offsetsAt = idsAt + count * idWidth
    val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
    val numbers = names.numbers
    val known = schema.names
    var next = 0
    var i = 0
    var isHeld = true
    while (i < count && isHeld) {
      val id = LittleEndian.getUnsigned(value, idsAt + i * idWidth, idWidth)
      val name = if (id < numbers.length) numbers(id.toInt) else -1
      while (next < known.length && known(next) != name) next += 1
      isHeld = next < known.length &&
        holdsChild(schema.fields(next), dataPos, offsetsAt + i * width, width, depthLeft)
      next += 1
      i += 1
    }
    isHeld
  }

  private def holdsAnyFields(
      schema: CoveredSchema,
      idsAt: Int,
      idWidth: Int,
      width: Int,
      count: Int,
      depthLeft: Int
  ): Boolean = {
    val offsetsAt = idsAt + count * idWidth
    val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
    val keys = names.dictionary
    var last = -1
    var i = 0
    var isHeld = true
    while (i < count && isHeld) {
      val id = LittleEndian.getUnsigned(value, idsAt + i * idWidth, idWidth)
      isHeld = id < keys.size && (last < 0 || keys.compareKeys(last, id.toInt) < 0) &&
        holdsChild(schema, dataPos, offsetsAt + i * width, width, depthLeft)
      last = id.toInt
      i += 1
    }
    isHeld
  }

  private def holdsChild(
      schema: CoveredSchema,
      dataPos: Int,
      offsetAt: Int,
      width: Int,
      depthLeft: Int
  ): Boolean = {
    val offset = LittleEndian.getUnsigned(value, offsetAt, width)
    offset < value.length - dataPos && holds(schema, dataPos + offset.toInt, depthLeft)
  }
}

private object SchemaCover {

  /** Deeper values would take too much of the stack. */
  private final val MaxDepth = 500
}

/** Maps the names of one metadata dictionary to the numbers of [[CoveredSchemas]]. */
private final class DictionaryNames(val dictionary: MetadataDictionary, schemas: CoveredSchemas) {
  private var known = -1
  private var found = Array.emptyIntArray

  /** Returns the numbers by dictionary id; -1 for a name that is in no schema. */
  def numbers: Array[Int] = {
    if (known != schemas.nameCount) {
      known = schemas.nameCount
      found = Array.tabulate(dictionary.size)(id => schemas.number(dictionary.key(id)))
    }
    found
  }
}
