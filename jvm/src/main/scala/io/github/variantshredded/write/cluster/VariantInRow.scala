package io.github.variantshredded.write.cluster

import scala.annotation.tailrec

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.shredding.VariantColumn
import io.github.variantshredded.write.infer.StoredVariant
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.{DataType, StructType, UserDefinedType}
import org.apache.spark.unsafe.Platform

/**
 * Finds the Variant of one column in a row. The fields describe the Variant that was found last.
 *
 * @param ordinals
 *   ordinals of the structs that contain the Variant, and of the Variant itself, from the top
 * @param sizes
 *   number of fields of the struct at each ordinal but the last
 */
private[cluster] final class VariantInRow private (
    ordinals: Array[Int],
    sizes: Array[Int],
    column: VariantColumn
) {
  var bytes: Array[Byte] = Array.emptyByteArray
  var valuePos = 0

  /** The end of the value, at which the metadata begins. */
  var valueEnd = 0
  var metadataLength = 0

  /** Finds the Variant in a row. Returns false if the row has none. */
  def find(row: UnsafeRow): Boolean = {
    var here = row
    var i = 0
    while (i < sizes.length && here != null) {
      here = if (here.isNullAt(ordinals(i))) null else here.getStruct(ordinals(i), sizes(i))
      i += 1
    }
    val found = here != null && !here.isNullAt(ordinals(i))
    if (found) locate(here, ordinals(i))
    found
  }

  private def locate(row: UnsafeRow, ordinal: Int): Unit = {
    var start = 0
    var length = 0
    row.getBaseObject match {
      case held: Array[Byte] =>
        val offsetAndSize = row.getLong(ordinal)
        bytes = held
        start = (row.getBaseOffset + (offsetAndSize >>> 32) - Platform.BYTE_ARRAY_OFFSET).toInt
        length = offsetAndSize.toInt
      case _ =>
        bytes = row.getBinary(ordinal)
        length = bytes.length
    }
    valuePos = start + 4
    valueEnd = valuePos + located(StoredVariant.valueSize(bytes, start, length))
    metadataLength = start + length - valueEnd
  }

  /** Runs `action`, and adds the column to its errors. */
  def located[T](action: => T): T =
    try action
    catch {
      case e: VariantShreddedException => throw e.at(ErrorLocation(column = Some(column.name)))
    }
}

private[cluster] object VariantInRow {

  /**
   * Returns the finder for a column in rows of `schema`; the column is not in an array or a map.
   */
  def apply(schema: StructType, column: VariantColumn): VariantInRow = {
    val (ordinals, sizes) = steps(schema, column.path.toList, Nil, Nil)
    new VariantInRow(ordinals.toArray, sizes.toArray, column)
  }

  @tailrec
  private def steps(
      dataType: DataType,
      path: List[String],
      ordinals: List[Int],
      sizes: List[Int]
  ): (List[Int], List[Int]) = (dataType, path) match {
    case (udt: UserDefinedType[_], _)       => steps(udt.sqlType, path, ordinals, sizes)
    case (struct: StructType, name :: rest) =>
      val ordinal = struct.fieldIndex(name)
      val inner = struct(ordinal).dataType
      if (rest.isEmpty) ((ordinal :: ordinals).reverse, sizes.reverse)
      else steps(inner, rest, ordinal :: ordinals, sizeOf(inner) :: sizes)
    case _ =>
      throw new IllegalStateException(s"There are no fields ${path.mkString(".")} in a $dataType.")
  }

  @tailrec
  private def sizeOf(dataType: DataType): Int = dataType match {
    case struct: StructType      => struct.length
    case udt: UserDefinedType[_] => sizeOf(udt.sqlType)
    case other                   => throw new IllegalStateException(s"A $other has no fields.")
  }
}
