package io.github.variantshredded.write

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.SpecLayoutWriter
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.spark.sql.types._

/**
 * Where Variants are in the schema of a file.
 *
 * Spark's own writer writes everything else. It is given a schema in which each Variant is a binary,
 * as which an `UnsafeRow` stores it, and draws the Parquet schema for that; here the binary columns
 * are replaced by Variant groups.
 */
private[write] object VariantColumns {

  /** `schema` with a binary in the place of each Variant. */
  def asBinary(schema: StructType): StructType =
    StructType(schema.map(field => field.copy(dataType = asBinary(field.dataType))))

  private def asBinary(dataType: DataType): DataType = dataType match {
    case _: VariantType     => BinaryType
    case struct: StructType => asBinary(struct)
    case array: ArrayType   => array.copy(elementType = asBinary(array.elementType))
    case map: MapType       => map.copy(valueType = asBinary(map.valueType))
    case udt: UserDefinedType[_] if hasVariant(udt.sqlType) => asBinary(udt.sqlType)
    case other                                              => other
  }

  def hasVariant(dataType: DataType): Boolean = dataType match {
    case _: VariantType          => true
    case StructType(fields)      => fields.exists(field => hasVariant(field.dataType))
    case ArrayType(element, _)   => hasVariant(element)
    case MapType(_, value, _)    => hasVariant(value)
    case udt: UserDefinedType[_] => hasVariant(udt.sqlType)
    case _                       => false
  }

  /** Whether there is a map with Variants in its keys. */
  def hasVariantKey(dataType: DataType): Boolean = dataType match {
    case StructType(fields)      => fields.exists(field => hasVariantKey(field.dataType))
    case ArrayType(element, _)   => hasVariantKey(element)
    case MapType(key, value, _)  => hasVariant(key) || hasVariantKey(key) || hasVariantKey(value)
    case udt: UserDefinedType[_] => hasVariantKey(udt.sqlType)
    case _                       => false
  }

  /**
   * The schema of a file and the way through it.
   *
   * @param schema
   *   Spark's schema
   * @param binary
   *   what Spark's writer draws for [[asBinary]]
   * @param schemas
   *   how each Variant is shredded, in the order of [[ShreddingSpec.columns]]
   * @param legacyLists
   *   whether lists of required elements have two levels (`spark.sql.parquet.writeLegacyFormat`)
   */
  def replace(
      schema: StructType,
      binary: MessageType,
      schemas: Seq[ShreddingSchema],
      legacyLists: Boolean,
      settings: ShredderSettings
  ): (MessageType, PositionNode) = {
    val (group, node) =
      new VariantColumns(schemas.iterator, legacyLists, settings).struct(schema, binary, "")
    (new MessageType(binary.getName, group.getFields), node)
  }
}

private final class VariantColumns(
    schemas: Iterator[ShreddingSchema],
    legacyLists: Boolean,
    settings: ShredderSettings
) {

  private def struct(
      schema: StructType,
      group: GroupType,
      path: String
  ): (GroupType, PositionNode) = {
    val children = schema.fields.zipWithIndex.map { case (field, i) =>
      replace(field.dataType, group.getType(i), s"$path${field.name}")
    }
    rebuild(group, children)
  }

  private def replace(dataType: DataType, column: Type, path: String): (Type, PositionNode) =
    dataType match {
      case _: VariantType =>
        val schema = schemas.next()
        val group = SpecLayoutWriter.group(column.getName, schema, column.getRepetition)
        val withId = if (column.getId == null) group else group.withId(column.getId.intValue)
        (withId, new PositionNode(Array.empty, new Shredder(schema, settings), path))
      case struct: StructType if VariantColumns.hasVariant(struct) =>
        this.struct(struct, column.asGroupType, s"$path.")
      case ArrayType(element, containsNull) if VariantColumns.hasVariant(element) =>
        val list = column.asGroupType
        val at = s"$path.element"
        val repeated =
          if (legacyLists && !containsNull) replace(element, list.getType(0), at)
          else {
            val entry = list.getType(0).asGroupType
            rebuild(entry, Array(replace(element, entry.getType(0), at)))
          }
        rebuild(list, Array(repeated))
      case MapType(_, value, _) if VariantColumns.hasVariant(value) =>
        val map = column.asGroupType
        val entries = map.getType(0).asGroupType
        val key = (entries.getType(0), PositionNode.Plain)
        rebuild(
          map,
          Array(rebuild(entries, Array(key, replace(value, entries.getType(1), s"$path.value"))))
        )
      case udt: UserDefinedType[_] if VariantColumns.hasVariant(udt.sqlType) =>
        replace(udt.sqlType, column, path)
      case _ => (column, PositionNode.Plain)
    }

  private def rebuild(
      group: GroupType,
      children: Array[(Type, PositionNode)]
  ): (GroupType, PositionNode) = {
    val fields = java.util.Arrays.asList(children.map(_._1): _*)
    val node =
      if (children.forall(_._2 eq PositionNode.Plain)) PositionNode.Plain
      else new PositionNode(children.map(_._2), null, "")
    (group.withNewFields(fields), node)
  }
}

/**
 * One node of a file's schema, on the way to Variants.
 *
 * @param children
 *   by field index; empty where no Variant lies below, and for Variants
 * @param shredder
 *   not null for a Variant
 * @param column
 *   the Variant's path, for errors
 */
private[write] final class PositionNode(
    children: Array[PositionNode],
    val shredder: Shredder,
    val column: String
) {

  def child(index: Int): PositionNode =
    if (children.length == 0) PositionNode.Plain else children(index)
}

private[write] object PositionNode {

  /** No Variant here or below. */
  val Plain: PositionNode = new PositionNode(Array.empty, null, "")
}
