package io.github.variantshredded.read.columns

import java.util.{Collections, IdentityHashMap => JIdentityHashMap, Map => JMap, Set => JSet}

import io.github.variantshredded.read.decode.VariantShape
import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types._

/**
 * Puts Variant groups in the place of their placeholders, in a column of structs, arrays or maps.
 *
 * @param placeheld
 *   the column with the placeholders
 * @param dataType
 *   the requested type
 * @param variants
 *   the Variant groups, by their path in the file
 * @param missing
 *   the parts of the column that the file does not have
 */
private[columns] final class NestedShape(
    placeheld: ParquetColumn,
    dataType: DataType,
    variants: Map[Seq[String], VariantGroup],
    missing: JSet[ParquetColumn]
) {
  private val found = new JIdentityHashMap[ParquetColumn, VariantGroup]
  private val foundLeaves =
    Collections.newSetFromMap(new JIdentityHashMap[ParquetColumn, java.lang.Boolean])

  /** The column with the Variant groups. */
  val column: ParquetColumn = shape(placeheld, dataType)

  /** The Variant groups, by their parts of [[column]] (compared by identity). */
  val groups: JMap[ParquetColumn, VariantGroup] = Collections.unmodifiableMap(found)

  /** The leaf columns of the Variant groups (compared by identity). */
  val variantLeaves: JSet[ParquetColumn] = Collections.unmodifiableSet(foundLeaves)

  /** Returns the column with the Variant groups in place of their placeholders. */
  private def shape(column: ParquetColumn, dataType: DataType): ParquetColumn = dataType match {
    case _: VariantType =>
      variants.get(column.path) match {
        case Some(group) if !missing.contains(column) =>
          val shaped = VariantShape.group(group)
          found.put(shaped, group)
          RequestedParquet.leavesOf(shaped).foreach(foundLeaves.add)
          shaped
        case _ => column
      }
    case _ if missing.contains(column) => column
    case struct: StructType            =>
      // Spark may have added a field that was not requested, to find out which structs are null.
      val children = column.children.zipWithIndex.map { case (child, i) =>
        if (i < struct.length) shape(child, struct(i).dataType) else child
      }
      val fields = column.sparkType.asInstanceOf[StructType].fields.zip(children).map {
        case (field, child) => field.copy(dataType = child.sparkType)
      }
      column.copy(sparkType = StructType(fields), children = children)
    case _: ArrayType | _: MapType if column.children.isEmpty =>
      throw new SchemaColumnConvertNotSupportedException(
        column.path.mkString("."),
        column.sparkType.catalogString,
        dataType.catalogString
      )
    case array: ArrayType =>
      val element = shape(column.children.head, array.elementType)
      val sparkType = column.sparkType.asInstanceOf[ArrayType]
      column.copy(
        sparkType = sparkType.copy(elementType = element.sparkType),
        children = Seq(element)
      )
    case map: MapType =>
      val key = shape(column.children.head, map.keyType)
      val value = shape(column.children(1), map.valueType)
      val sparkType = column.sparkType.asInstanceOf[MapType]
      column.copy(
        sparkType = sparkType.copy(keyType = key.sparkType, valueType = value.sparkType),
        children = Seq(key, value)
      )
    case _ => column
  }
}
